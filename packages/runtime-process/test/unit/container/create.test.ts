/** What is decided about a container when it is created, and what is refused. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContainerConfig } from "@hooklet/core/host";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { containerConfig, sandboxConfig } from "../../../../testkit/src/runtime-suite/configs.js";
import { createContainer } from "../../../src/container/create.js";
import { readRecord } from "../../../src/container/state-file.js";
import type { Deps } from "../../../src/deps.js";
import { type ImageConfig, NO_CONFIG } from "../../../src/image/manifest.js";
import { type Layout, layoutOf, makeLayout } from "../../../src/layout.js";
import { MARK } from "../../../src/proc/members.js";
import { LowerStats } from "../../../src/rootfs/view.js";
import { isRoot } from "../../harness.js";

const IMAGE = `sha256:${"1".repeat(64)}`;

let folder: string;
let layout: Layout;
let made: string[];
let clock: VirtualClock;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-create-"));
  layout = layoutOf(folder);
  await makeLayout(layout);
  mkdirSync(join(folder, "root/etc"), { recursive: true });
  writeFileSync(join(folder, "root/etc/passwd"), "root:x:0:0::/root:/bin/sh\n");
  made = [];
  clock = new VirtualClock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Parts {
  readonly image?: Partial<ImageConfig>;
  readonly config?: Partial<ContainerConfig>;
  readonly deps?: object;
}

async function create({ image = {}, config = {}, deps = {} }: Parts = {}) {
  const sandbox = sandboxConfig(folder, 0, "pod-uid");
  const found = { id: IMAGE, rootfs: join(folder, "root"), record: { config: { ...NO_CONFIG, ...image } } };
  const all = {
    clock,
    layout,
    isolation: { mode: "root", volatileLayers: false, processesApart: true },
    lowerStats: new LowerStats(clock),
    hierarchies: [],
    cgroupRoot: "/below",
    images: { find: async (name: string) => (name === IMAGE ? found : undefined) },
    roots: { makeSource: async (path: string) => void made.push(path) },
    ...deps,
  };
  const own = containerConfig({ image: "app:1", command: ["run"] }, IMAGE, sandbox, config);
  return createContainer(all as unknown as Deps, {
    sandboxId: "s1",
    config: own,
    sandbox,
    cgroupParent: "/pods/one",
  });
}
const launch = async (parts: Parts) => (await create(parts)).record.launch;
const refused = (message: string | RegExp, code = "invalid-argument") => expect.objectContaining({ code, message });

describe("the command of a container", () => {
  const image = { entrypoint: ["/entry", "a"], cmd: ["b"] };

  test.each<{ name: string; config: Partial<ContainerConfig>; argv: readonly string[] }>([
    { name: "nothing: the image's entrypoint and cmd", config: { command: [] }, argv: ["/entry", "a", "b"] },
    { name: "args: in place of the image's cmd", config: { command: [], args: ["c"] }, argv: ["/entry", "a", "c"] },
    { name: "a command: in place of both", config: { command: ["/own"] }, argv: ["/own"] },
    { name: "both: nothing of the image", config: { command: ["/own"], args: ["c"] }, argv: ["/own", "c"] },
  ])("whose pod has $name", async ({ config, argv }) => {
    expect((await launch({ image, config })).argv).toEqual(argv);
  });

  test("is needed: of the pod, or of the image", async () => {
    const none = { command: [] };
    await expect(create({ config: none })).rejects.toEqual(
      refused("no command specified: image app:1 has neither entrypoint nor cmd; set the container's command"),
    );
    const nameless = { ...none, image: { image: IMAGE, userSpecifiedImage: "" } };
    await expect(create({ config: nameless })).rejects.toThrow(`image ${IMAGE} has neither`);
  });
});

test.each([
  ["", "", "/"],
  ["", "/srv", "/srv"],
  ["/own/../x", "/srv", "/x"],
])("working directory %j of the pod and %j of the image are %j", async (workingDir, ofImage, expected) => {
  expect((await launch({ image: { workingDir: ofImage }, config: { workingDir } })).workingDir).toBe(expected);
});

test("a working directory that is not absolute is refused", async () => {
  await expect(create({ config: { workingDir: "srv" } })).rejects.toEqual(
    refused("workingDir: expected an absolute path, found srv"),
  );
});

test("the environment: the runtime's own, then the image's, then the pod's, and where no cgroup tells it a mark", async () => {
  const image = { env: ["A=image", "HOME=/image"] };
  const config = { envs: [{ key: "A", value: "pod" }] };
  const { env } = await launch({ image, config });
  const values = Object.fromEntries(env);
  expect(Object.keys(values)).toEqual(["PATH", "HOSTNAME", "HOME", "A", MARK]);
  expect([values.A, values.HOME]).toEqual(["pod", "/image"]);
  expect(values.PATH).toContain("/usr/bin");
  expect(values[MARK]).toMatch(/^[0-9a-f]{64}$/);
  if (isRoot) expect(Object.fromEntries((await launch({})).env).HOME).toBe("/root");
});

test.each([
  ["", 15],
  ["SIGQUIT", 3],
])("StopSignal %j of the image is signal %i", async (stopSignal, number) => {
  expect((await launch({ image: { stopSignal } })).stopSignal).toBe(number);
});

test("a StopSignal that is none is refused", async () => {
  await expect(create({ image: { stopSignal: "NO" } })).rejects.toEqual(
    refused("the image's StopSignal NO is no signal"),
  );
});

test("an image that is not present is refused by its name", async () => {
  await expect(create({ config: { image: { image: "web:1", userSpecifiedImage: "web:1" } } })).rejects.toEqual(
    refused("image web:1 is not present; import it first", "image-not-present"),
  );
});

describe("the log of a container", () => {
  test("lies below that of its pod", async () => {
    expect((await create()).record.logPath).toBe(join(folder, "pod-logs/pod-uid/main/0.log"));
  });

  test.each(["", ".", "../other/0.log", "/tmp/0.log", "../pod-uid2/0.log"])("is refused at %j", async (logPath) => {
    const directory = join(folder, "pod-logs/pod-uid");
    await expect(create({ config: { logPath } })).rejects.toEqual(
      refused(`logPath: expected a path below the pod's log directory ${directory}, found ${JSON.stringify(logPath)}`),
    );
  });
});

test("what is mounted is made where it is missing; where that fails the error names both places", async () => {
  const mounts = [{ hostPath: "/h", containerPath: "/c", readonly: false }] as never;
  await create({ config: { mounts } });
  expect(made).toEqual(["/h"]);
  const makeSource = async () => {
    throw new Error("EROFS");
  };
  await expect(create({ config: { mounts }, deps: { roots: { makeSource } } })).rejects.toEqual(
    refused("cannot make /h to mount on /c: EROFS"),
  );
});

describe("the record of a container", () => {
  test("is on the disk, and is what its next agent has of it", async () => {
    await clock.advance(1_234.5);
    const { record, folder: own, life } = await create();
    expect(life).toEqual({ kind: "created" });
    expect(own).toBe(join(layout.containers, record.id));
    expect(await readRecord(own)).toEqual(record);
    expect(record).toMatchObject({
      version: 1,
      sandboxId: "s1",
      podUid: "pod-uid",
      createdAt: String(BigInt(Math.floor(clock.now())) * 1_000_000n),
      imageId: IMAGE,
      rootfs: join(folder, "root"),
      mode: "root",
      ownPids: true,
      ownIpc: true,
    });
    expect(record.cgroup).toBeUndefined();
  });

  test.each([
    { pid: "NODE", ipc: "POD", apart: true, own: [false, true] },
    { pid: "POD", ipc: "CONTAINER", apart: true, own: [false, true] },
    { pid: "CONTAINER", ipc: "NODE", apart: true, own: [true, false] },
    { pid: "CONTAINER", ipc: "POD", apart: false, own: [false, false] },
  ])("with processes of $pid and IPC of $ipc, where they can be isolated: $apart", async ({ pid, ipc, apart, own }) => {
    const { linux } = containerConfig({ image: "", command: [] }, IMAGE, sandboxConfig(folder, 0), {});
    const namespaces = { network: "NODE", pid, ipc } as never;
    const config = { linux: { ...linux, securityContext: { ...linux.securityContext, namespaces } } };
    const isolation = { mode: "root", volatileLayers: false, processesApart: apart };
    const { record } = await create({ config, deps: { isolation } });
    expect([record.ownPids, record.ownIpc]).toEqual(own);
  });

  test("names its cgroup, below the pod's, where there are some", async () => {
    const hierarchies = [{ version: "v2", mountPoint: join(folder, "cgroup"), controllers: ["memory"] }];
    const { record, cgroup, shimCgroup } = await create({ deps: { hierarchies } });
    expect(record.cgroup).toBe(`/pods/one/${record.id}`);
    expect([cgroup, shimCgroup].every((one) => one !== undefined)).toBe(true);
    expect(record.launch.env.map(([name]) => name)).not.toContain(MARK);
  });

  test("of one that is refused is none", async () => {
    await expect(create({ config: { workingDir: "srv" } })).rejects.toThrow();
    expect(readdirSync(layout.containers)).toEqual([]);
  });
});
