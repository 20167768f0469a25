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

test("of a machine that has all of it each finding says what it found", () => {
  const texts = (facts: Partial<MachineFacts>): Record<string, string> =>
    Object.fromEntries(findings({ ...WELL, ...facts }).map(({ what, found }) => [what, found]));
  expect(texts({})).toEqual({
    configuration: "it has no fault",
    "root dir": "it can be written",
    disk: "53.7GB of 107GB free on the disk of /var/lib/hooklet",
    port: "10248 is free",
    runtime: "process",
    "util-linux": "2.38.1",
    namespaces: "mounts, processes, ipc",
    cgroups: "v2, writable",
    skopeo: "1.9.3",
  });
  const criSockets = ["/run/a.sock", "/run/b.sock"];
  expect(texts({ isRoot: false, criSockets, utilLinux: undefined, port: { number: 0, state: "off" } })).toMatchObject({
    port: "off: no HTTP for health and metrics",
    runtime: "process; /run/a.sock, /run/b.sock is there as well (--runtime cri, as root)",
    "util-linux": "there, of unknown version",
    namespaces: "user, mounts, processes, ipc",
  });
  expect(texts({ criSockets }).runtime).toBe("process; /run/a.sock, /run/b.sock is there as well (--runtime cri)");
  expect(texts({ runtime: "cri", criSockets, skopeo: undefined })).toMatchObject({
    runtime: "cri: /run/a.sock, /run/b.sock",
    skopeo: "not found; runtime cri does not need it",
  });
});

const STARTS_NOT = "hooklet run does not start";
const UNTOUCHED = "limits of cpu, memory and processes are not enforced";
test.each<[facts: Partial<MachineFacts>, finding: Finding]>([
  [
    { configFault: "2 faults in the rc file", configFile: "rc.yaml" },
    {
      what: "configuration",
      state: "fails",
      found: "2 faults in the rc file",
      costs: STARTS_NOT,
      mend: "hooklet check --config rc.yaml",
    },
  ],
  [
    { configFault: '--runtime: expected a runtime, found "x"', configFile: "rc.yaml" },
    {
      what: "configuration",
      state: "fails",
      found: '--runtime: expected a runtime, found "x"',
      costs: STARTS_NOT,
    },
  ],
  [
    { rootDirFault: "/r may not be written" },
    {
      what: "root dir",
      state: "fails",
      found: "/r may not be written",
      costs: STARTS_NOT,
      mend: "hooklet run --root-dir DIR",
    },
  ],
  [
    { rootDirFault: "/r may not be written", isRoot: false },
    {
      what: "root dir",
      state: "fails",
      found: "/r may not be written",
      costs: STARTS_NOT,
      mend: "hooklet run --root-dir ~/hooklet",
    },
  ],
  [
    { disk: "no such device" },
    {
      what: "disk",
      state: "fails",
      found: "no such device",
      costs: "hooklet cannot watch the disk",
      mend: "hooklet run --root-dir DIR",
    },
  ],
  [
    { disk: { path: "/d", availableBytes: 9 * GIB, capacityBytes: 100 * GIB } },
    {
      what: "disk",
      state: "fails",
      found: "9.66GB of 107GB free on the disk of /d, below nodefs.available 10% (10.7GB)",
      costs: "the node has DiskPressure: pods that are applied are refused, and pods are evicted",
      mend: "du -xh /d | sort -h | tail; or in the rc file: node: { evictionHard: { nodefs.available: 5% } }",
    },
  ],
  [
    { port: { number: 10_248, state: "taken" } },
    {
      what: "port",
      state: "fails",
      found: "10248 is taken by another process",
      costs: STARTS_NOT,
      mend: "ss -ltnp 'sport = :10248' names it; or: hooklet run --port 20248",
    },
  ],
  [
    { runtime: "cri" },
    {
      what: "runtime",
      state: "fails",
      found: "cri, and no socket of containerd or CRI-O is there",
      costs: STARTS_NOT,
      mend: "name the socket in the rc file: runtime: { use: cri, options: { endpoint: unix:///PATH } }; or: apt install containerd && systemctl start containerd; or: hooklet run --runtime process",
    },
  ],
  [
    { missingTools: ["perl"] },
    {
      what: "util-linux",
      state: "fails",
      found: "not found: perl",
      costs: "runtime process starts no container",
      mend: "apt install util-linux coreutils perl",
    },
  ],
  [
    { utilLinux: "1.99", runtime: "cri", criSockets: ["/s"] },
    {
      what: "util-linux",
      state: "lacks",
      found: "1.99, older than 2.38",
      costs: "nothing with runtime cri; runtime process would start no container",
      mend: "apt install util-linux coreutils perl",
    },
  ],
  [
    { namespaces: "no" },
    {
      what: "namespaces",
      state: "lacks",
      found: "no",
      costs: 'containers see the machine\'s files and processes: image "host" only, pods with volumes are refused',
      mend: "run hooklet outside of the container that it is in, or with CAP_SYS_ADMIN",
    },
  ],
  [
    { namespaces: "no", isRoot: false },
    {
      what: "namespaces",
      state: "lacks",
      found: "no",
      costs: 'containers see the machine\'s files and processes: image "host" only, pods with volumes are refused',
      mend: "sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0; or run hooklet as root",
    },
  ],
  [
    { cgroups: { version: "v1", writable: false, missing: [] } },
    {
      what: "cgroups",
      state: "lacks",
      found: "v1, not writable",
      costs: UNTOUCHED,
      mend: "run hooklet outside of the container that it is in",
    },
  ],
  [
    { cgroups: { version: "v2", writable: true, missing: ["cpu", "pids"] } },
    {
      what: "cgroups",
      state: "lacks",
      found: "v2, writable, without cpu, pids",
      costs: "limits of cpu, pids are not enforced",
      mend: "systemctl edit user@.service: [Service] Delegate=cpu pids",
    },
  ],
  [
    { cgroups: { version: "v1", writable: true, missing: ["cpu", "pids"] } },
    {
      what: "cgroups",
      state: "lacks",
      found: "v1, writable, without cpu, pids",
      costs: "limits of cpu, pids are not enforced",
      mend: "boot with the controllers cpu, pids",
    },
  ],
  [
    { skopeo: undefined },
    {
      what: "skopeo",
      state: "lacks",
      found: "not found",
      costs: "runtime process pulls no image from a registry: pods use host, or what hooklet image import brought",
      mend: "apt install skopeo",
    },
  ],
])("of %j it says what is found, what that costs and what mends it", (facts, finding) => {
  expect(not(facts)).toEqual([finding]);
});

test.each([
  ["2.38", []],
  ["2.39.1", []],
  ["3.0", []],
  ["2.37.9", ["util-linux"]],
  ["1.40", ["util-linux"]],
])("util-linux %s", (utilLinux, whats) => expect(not({ utilLinux }).map(({ what }) => what)).toEqual(whats));

const AGENT = { text: "hooklet 1 on node n", socket: "/s" };
test.each<[state: MachineFacts["port"]["state"], agent: MachineFacts["agent"], found: string]>([
  ["free", AGENT, "an agent runs here: hooklet 1 on node n, socket /s"],
  ["off", AGENT, "an agent runs here: hooklet 1 on node n, socket /s"],
  ["free", { ...AGENT, hasPort: false }, "an agent runs here: hooklet 1 on node n, socket /s"],
  ["forbidden", { ...AGENT, hasPort: true }, "10248 belongs to the agent that runs: hooklet 1 on node n, socket /s"],
  [
    "taken",
    { ...AGENT, hasPort: true, isOther: true },
    "10248 belongs to the agent that runs: hooklet 1 on node n, socket /s; an agent beside it needs another --port",
  ],
  ["taken", { ...AGENT, isOther: true }, "an agent runs here: hooklet 1 on node n, socket /s"],
])("a port that is %s beside the agent %j is well", (state, agent, found) => {
  expect(findings({ ...WELL, port: { number: 10_248, state }, agent })).toContainEqual({
    what: "port",
    state: "ok",
    found,
  });
});

test("a port that this user may not open is a fault, whatever agent runs elsewhere", () => {
  const port = { number: 80, state: "forbidden" } as const;
  for (const agent of [undefined, AGENT, { ...AGENT, hasPort: false }])
    expect(not({ port, agent })).toEqual([
      {
        what: "port",
        state: "fails",
        found: "this user may not listen on 80",
        costs: STARTS_NOT,
        mend: "hooklet run --port 10080; or run hooklet as root",
      },
    ]);
});
