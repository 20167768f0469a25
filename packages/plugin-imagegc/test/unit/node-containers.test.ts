import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Pod } from "@hooklet/core";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { nodeContainers } from "../../src/node-containers.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-imagegc-"));
});
afterEach(() => rm(folder, { recursive: true }));

const labels = (uid: string) => ({ "io.kubernetes.pod.uid": uid });
const pod = (uid: string, phase = "Running") =>
  ({
    metadata: { name: uid, namespace: "default", uid },
    spec: { containers: [] },
    status: { phase },
  }) as unknown as Pod;

interface Parts {
  readonly containers?: readonly object[];
  readonly sandboxes?: readonly object[];
  readonly pods?: readonly Pod[];
  readonly active?: readonly Pod[];
  readonly ready?: boolean;
  readonly state?: string;
}

function ports({ containers = [], sandboxes = [], pods = [], active = pods, ready = true, state }: Parts = {}) {
  const calls: string[] = [];
  const context = {
    clock: { now: () => 7_000 },
    log: { debug: () => {}, warn: (_: unknown, text: string) => void calls.push(text) },
    pods: {
      list: () => pods,
      active: () => active,
      get: (uid: string) => pods.find(({ metadata }) => metadata.uid === uid),
      sourcesReady: () => ready,
    },
    runtime: {
      listContainers: async () => containers,
      listSandboxes: async () => sandboxes,
      facts: async () => ({ podLogsDir: path.join(folder, "pods") }),
      removeDeadContainer: async (id: string) => void calls.push(`container ${id}`),
      removeDeadSandbox: async (id: string) => void calls.push(`sandbox ${id}`),
      containerStatus: async () => {
        if (state === undefined) throw new Error("not found");
        return { state };
      },
    },
  };
  return { ...nodeContainers(context as never, path.join(folder, "links")), calls };
}

test("containers and sandboxes without Kubernetes labels belong to other programs", async () => {
  const one = {
    id: "c1",
    metadata: { name: "main" },
    createdAt: 5_000_000n,
    state: "CONTAINER_EXITED",
    sandboxId: "s1",
  };
  const box = { id: "s1", createdAt: 3_000_000n, state: "SANDBOX_NOTREADY" };
  const node = ports({
    containers: [
      { ...one, labels: labels("u1") },
      { ...one, id: "foreign", labels: {} },
    ],
    sandboxes: [
      { ...box, labels: labels("u1") },
      { ...box, id: "foreign", labels: { "io.kubernetes.pod.uid": "" } },
    ],
  });
  expect(await node.containers()).toEqual([
    { id: "c1", podUid: "u1", name: "main", created: 5, state: "exited", sandboxId: "s1" },
  ]);
  expect(await node.sandboxes()).toEqual([{ id: "s1", podUid: "u1", created: 3, ready: false }]);
});

test("a container of an active pod that is made but not started is no dead one", async () => {
  const one = { metadata: { name: "main" }, createdAt: 0n, state: "CONTAINER_CREATED", sandboxId: "s1" };
  const node = ports({
    pods: [pod("u1"), pod("u2")],
    active: [pod("u1")],
    containers: [
      { ...one, id: "starting", labels: labels("u1") },
      { ...one, id: "left", labels: labels("u2") },
    ],
  });
  expect((await node.containers()).map(({ id, state }) => `${id} ${state}`)).toEqual([
    "starting running",
    "left created",
  ]);
});

describe("pods", () => {
  test("an unknown pod counts as removed once all sources are read, not before", () => {
    expect(ports().pods().isDeleted("u1")).toBe(true);
    expect(ports({ ready: false }).pods().isDeleted("u1")).toBe(false);
    expect(
      ports({ pods: [pod("u1")] })
        .pods()
        .isDeleted("u1"),
    ).toBe(false);
  });

  test.each([
    { phase: "Succeeded", ended: true },
    { phase: "Failed", ended: true },
    { phase: "Running", ended: false },
  ])("$phase: ended $ended", ({ phase, ended }) => {
    expect(
      ports({ pods: [pod("u1", phase)] })
        .pods()
        .isTerminated("u1"),
    ).toBe(ended);
  });
});

describe("logs", () => {
  test("only folders named after a pod are read, and none where there is no such directory", async () => {
    expect(await ports().logDirectories()).toEqual([]);
    for (const name of ["default_web_u1", "mine", "a_b", "a_b_c_d"])
      await mkdir(path.join(folder, "pods", name), { recursive: true });
    await writeFile(path.join(folder, "pods", "default_file_u2"), "");
    expect(await ports().logDirectories()).toEqual(["default_web_u1"]);
  });

  test("a folder goes with all that is in it", async () => {
    await mkdir(path.join(folder, "pods/default_web_u1/main"), { recursive: true });
    await ports().removeLogDirectory("default_web_u1");
    expect(await readdir(path.join(folder, "pods"))).toEqual([]);
  });

  test.each(["", ".", "..", "../pods", "a/b"])("the name %j leads nowhere", async (name) => {
    await mkdir(path.join(folder, "pods/a/b"), { recursive: true });
    await expect(ports().removeLogDirectory(name)).rejects.toThrow("expected the name of an entry");
    expect(await readdir(path.join(folder, "pods/a"))).toEqual(["b"]);
  });

  test("links without a target are dead; files and other names are ignored", async () => {
    const links = path.join(folder, "links");
    await mkdir(links);
    await mkdir(path.join(folder, "pods"));
    await writeFile(path.join(folder, "pods/target"), "");
    await symlink(path.join(folder, "pods/target"), path.join(links, "alive.log"));
    await symlink(path.join(folder, "pods/missing"), path.join(links, "dead.log"));
    await symlink(path.join(folder, "pods/missing"), path.join(links, "other.txt"));
    await writeFile(path.join(links, "file.log"), "");
    const node = ports();
    expect(await node.deadLogLinks()).toEqual(["dead.log"]);
    await node.removeLogLink("dead.log");
    expect((await readdir(links)).sort()).toEqual(["alive.log", "file.log", "other.txt"]);
  });

  test("a dead link that leads elsewhere than to this agent's logs is another agent's", async () => {
    const links = path.join(folder, "links");
    await mkdir(links);
    await symlink(path.join(folder, "missing"), path.join(links, "theirs.log"));
    await symlink("../podsbeside/missing", path.join(links, "beside.log"));
    await symlink("../pods/missing", path.join(links, "ours.log"));
    expect(await ports().deadLogLinks()).toEqual(["ours.log"]);
  });

  test("the state of a container that the runtime does not know is none", async () => {
    expect(await ports().containerState("c1")).toBeUndefined();
    expect(await ports({ state: "CONTAINER_RUNNING" }).containerState("c1")).toBe("running");
  });
});

test("a removal that fails is a line in the log", () => {
  const node = ports();
  node.failed("container c1", new Error("busy"));
  expect(node.calls).toEqual(["container gc: failed to remove container c1: busy"]);
});
