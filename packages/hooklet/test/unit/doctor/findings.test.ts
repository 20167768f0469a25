import { describe, expect, test } from "@jest/globals";
import { type Finding, findings } from "../../../src/doctor/findings.js";
import type { MachineFacts } from "../../../src/doctor/machine-facts.js";

const GIB = 2 ** 30;

const WELL: MachineFacts = {
  isRoot: true,
  node: "20.20.2",
  cgroups: { version: "v2", writable: true, missing: [] },
  namespaces: undefined,
  disk: { path: "/var/lib/hooklet", availableBytes: 50 * GIB, capacityBytes: 100 * GIB },
  rootDirFault: undefined,
  evictionHard: { "nodefs.available": "10%", "imagefs.available": "15%", "memory.available": "100Mi" },
  port: { number: 10_248, state: "free" },
  agent: undefined,
  runtime: "process",
  criSockets: [],
  missingTools: [],
  utilLinux: "2.38.1",
  skopeo: "1.9.3",
  configFault: undefined,
};

const not = (facts: Partial<MachineFacts>): readonly Finding[] =>
  findings({ ...WELL, ...facts }).filter(({ state }) => state !== "ok");

test("a machine that has all of it", () => expect(not({})).toEqual([]));

test("of an rc file with faults it is not known which root dir, disk, port and runtime it means", () => {
  const found = findings({ ...WELL, configFault: "1 fault in the rc file", port: { number: 10_248, state: "taken" } });
  expect(found.map(({ what }) => what)).toEqual(["configuration", "util-linux", "namespaces", "cgroups", "skopeo"]);
});

describe("each finding names what it costs and the command that mends it", () => {
  test.each<[string, Partial<MachineFacts>, Partial<Finding>]>([
    [
      "no cgroups",
      { cgroups: { version: "none", writable: false, missing: [] } },
      { what: "cgroups", state: "lacks", found: "none are mounted", mend: "mount -t cgroup2 none /sys/fs/cgroup" },
    ],
    [
      "cgroup v1 as an ordinary user",
      { isRoot: false, cgroups: { version: "v1", writable: false, missing: [] } },
      {
        what: "cgroups",
        state: "lacks",
        found: "v1, not writable",
        mend: "run hooklet as root: cgroup v1 cannot be delegated",
      },
    ],
    [
      "cgroup v2 as an ordinary user",
      { isRoot: false, cgroups: { version: "v2", writable: false, missing: [] } },
      { state: "lacks", mend: "systemd-run --user --scope -p Delegate=yes hooklet run; or run hooklet as root" },
    ],
    [
      "a controller that is not delegated",
      { isRoot: false, cgroups: { version: "v2", writable: true, missing: ["cpu"] } },
      { found: "v2, writable, without cpu", costs: "limits of cpu are not enforced" },
    ],
    ["no skopeo", { skopeo: undefined }, { what: "skopeo", state: "lacks", mend: "apt install skopeo" }],
    [
      "a full disk",
      { disk: { path: "/d", availableBytes: 12 * GIB, capacityBytes: 100 * GIB } },
      {
        what: "disk",
        state: "fails",
        found: "12.9GB of 107GB free on the disk of /d, below imagefs.available 15% (16.1GB)",
        costs: "the node has DiskPressure: pods that are applied are refused, and pods are evicted",
      },
    ],
    [
      "a port that is taken",
      { port: { number: 10_248, state: "taken" } },
      { what: "port", state: "fails", mend: "ss -ltnp 'sport = :10248' names it; or: hooklet run --port 20248" },
    ],
    [
      "a port that this user may not open",
      { isRoot: false, port: { number: 80, state: "forbidden" } },
      {
        what: "port",
        state: "fails",
        found: "this user may not listen on 80",
        mend: "hooklet run --port 10080; or run hooklet as root",
      },
    ],
    [
      "no util-linux",
      { missingTools: ["unshare", "nsenter"] },
      {
        what: "util-linux",
        state: "fails",
        found: "not found: unshare, nsenter",
        mend: "apt install util-linux coreutils perl",
      },
    ],
    ["a util-linux that is too old", { utilLinux: "2.36.1" }, { state: "fails", found: "2.36.1, older than 2.38" }],
    [
      "no user namespaces",
      { isRoot: false, namespaces: "unshare: Operation not permitted" },
      { what: "namespaces", state: "lacks", found: "unshare: Operation not permitted" },
    ],
    [
      "no containerd for runtime cri",
      { runtime: "cri", criEndpoint: "/run/x.sock" },
      { what: "runtime", state: "fails", found: "cri, and no socket /run/x.sock is there" },
    ],
    [
      "a root dir that may not be written",
      { rootDirFault: "/r may not be written" },
      { what: "root dir", state: "fails" },
    ],
    [
      "an rc file with faults",
      { configFault: "2 faults in the rc file" },
      { what: "configuration", mend: "hooklet check" },
    ],
  ])("%s", (_, facts, expected) => {
    const found = not(facts);
    expect(found).toEqual([expect.objectContaining(expected)]);
    expect(found[0]?.costs).toBeTruthy();
    expect(found[0]?.mend).toBeTruthy();
  });
});

describe("an agent runs", () => {
  const agent = { text: "hooklet 1.2.3 on node n", socket: "/s" };
  const taken = { number: 10_248, state: "taken" } as const;

  test("and has the port: no fault, and the finding says whose port it is", () => {
    const facts = { port: taken, agent: { ...agent, hasPort: true } };
    expect(not(facts)).toEqual([]);
    expect(findings({ ...WELL, ...facts })).toContainEqual({
      what: "port",
      state: "ok",
      found: "10248 belongs to the agent that runs: hooklet 1.2.3 on node n, socket /s",
    });
  });

  test("and another process has the port", () =>
    expect(not({ port: taken, agent: { ...agent, hasPort: false } })).toMatchObject([
      {
        what: "port",
        state: "fails",
        found: "10248 is taken by a process other than the agent that runs (hooklet 1.2.3 on node n, socket /s)",
      },
    ]));

  test("and the owner of the port is unknown: no fault", () => expect(not({ port: taken, agent })).toEqual([]));
});

test("thresholds that are switched off, and a disk above them, are well", () => {
  const disk = { path: "/d", availableBytes: 1, capacityBytes: 100 * GIB };
  expect(not({ disk, evictionHard: {} })).toEqual([]);
  expect(not({ disk, evictionHard: { "nodefs.available": "0%" } })).toEqual([]);
});

test("runtime cri needs neither skopeo nor util-linux", () =>
  expect(not({ runtime: "cri", criSockets: ["/run/containerd/containerd.sock"], skopeo: undefined })).toEqual([]));
