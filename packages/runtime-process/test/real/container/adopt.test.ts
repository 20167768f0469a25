import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { alive, TestNode, until } from "../../node.js";

let node: TestNode;
beforeEach(async () => {
  node = await TestNode.start();
});
afterEach(() => node.end());

describe("when only the shim was killed", () => {
  test("its PID namespace goes with it, and the end is noticed with an unknown exit code", async () => {
    const id = await node.sh("setsid sleep 300 & sleep 300");
    const { main, shim } = await node.pids(id);
    process.kill(shim, "SIGKILL");
    await until("all should be gone", () => !alive(shim) && !alive(main));
    await node.newAgent();
    expect(await node.runtime.containerStatus(id)).toMatchObject({ exitCode: 137, reason: "ContainerStatusUnknown" });
  });

  test("a container on the machine's PIDs still runs, and its end is noticed with an unknown exit code", async () => {
    const namespaces = { network: "NODE", pid: "NODE", ipc: "POD" } as const;
    const id = await node.sh("sleep 300", {
      linux: { resources: {}, securityContext: { ...securityContext, namespaces } },
    });
    const { main, shim } = await node.pids(id);
    process.kill(shim, "SIGKILL");
    await until("the shim should be gone", () => !alive(shim));
    await node.newAgent();
    expect(await node.runtime.containerStatus(id)).toMatchObject({ state: "CONTAINER_RUNNING" });
    process.kill(main, "SIGTERM");
    await node.runtime.stopContainer(id, 5);
    expect(await node.runtime.containerStatus(id)).toMatchObject({
      state: "CONTAINER_EXITED",
      exitCode: 137,
      reason: "ContainerStatusUnknown",
      message: expect.stringContaining("exit code is unknown"),
    });
  });

  test("a stop of the running container works as ever", async () => {
    const id = await node.sh("trap 'exit 0' TERM; while :; do sleep 300 & wait $!; done");
    const { main, shim } = await node.pids(id);
    process.kill(shim, "SIGKILL");
    await node.runtime.stopContainer(id, 5);
    expect(alive(main)).toBe(false);
    expect((await node.runtime.containerStatus(id)).state).toBe("CONTAINER_EXITED");
  });
});

test("shim and container killed while no agent was there: ended, exit code unknown, and so for every later agent", async () => {
  const id = await node.sh("sleep 300");
  const { main, shim } = await node.pids(id);
  process.kill(shim, "SIGKILL");
  try {
    process.kill(main, "SIGKILL");
  } catch (error) {
    // Where the shim is the first process of a PID namespace the kernel ends the others.
    expect(error).toMatchObject({ code: "ESRCH" });
  }
  await until("both should be gone", () => !alive(shim) && !alive(main));
  await node.newAgent();
  const status = await node.runtime.containerStatus(id);
  expect(status).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 137, reason: "ContainerStatusUnknown" });
  await node.newAgent();
  expect(await node.runtime.containerStatus(id)).toEqual(status);
});

test("after a reboot every container that ran has ended, and its sandbox is not ready", async () => {
  const id = await node.sh("sleep 300");
  const file = join(node.folder(id), "pids");
  const { main } = await node.pids(id);
  process.kill(main, "SIGKILL");
  await node.ended(id);
  const lines = (await readFile(file, "utf8")).split("\n");
  await writeFile(file, ["00000000-0000-4000-8000-000000000000", ...lines.slice(1)].join("\n"));
  await removeEvents(node, id);
  await node.newAgent();
  expect(await node.runtime.containerStatus(id)).toMatchObject({
    exitCode: 137,
    reason: "ContainerStatusUnknown",
    message: expect.stringContaining("the machine was restarted"),
  });
});

test("a pid that went to another process is not mistaken for the container, nor harmed by its stop", async () => {
  const victim = await node.sh("sleep 300");
  const other = await node.pids(victim);
  const id = await node.sh("exit 0");
  await node.ended(id);
  const file = join(node.folder(id), "pids");
  const [boot, main, shim, end] = (await readFile(file, "utf8")).split("\n");
  const forged = [
    boot,
    `${other.main}${main?.slice(main.indexOf(" "))}`,
    `${other.shim}${shim?.slice(shim.indexOf(" "))}`,
    end,
  ];
  await writeFile(file, `${forged.join("\n")}\n`);
  await removeEvents(node, id);
  await node.newAgent();
  expect((await node.runtime.containerStatus(id)).state).toBe("CONTAINER_EXITED");
  await node.runtime.stopContainer(id, 0);
  await node.runtime.removeContainer(id);
  expect(alive(other.main)).toBe(true);
  expect((await node.runtime.containerStatus(victim)).state).toBe("CONTAINER_RUNNING");
});

test("a damaged state file is moved aside and reported, in the log and to the agent, and its processes are stopped", async () => {
  const id = await node.sh("setsid sleep 300 & sleep 300");
  const kept = await node.sh("sleep 300");
  const { main, shim } = await node.pids(id);
  const state = join(node.folder(id), "state");
  const text = await readFile(state, "utf8");
  await writeFile(state, text.replace(/"attempt":0/, '"attempt":7'));
  await node.newAgent();
  expect((await node.runtime.listContainers()).map((container) => container.id)).toEqual([kept]);
  await until("its processes should be gone", () => !alive(main) && !alive(shim));
  const names = await readdir(join(node.directory, "runtime-process", "containers"));
  expect(names.filter((name) => name.startsWith(`${id}.corrupt-`))).toHaveLength(1);
  expect(node.runtime.damage()).toEqual([expect.stringContaining(`state of container ${id} is damaged`)]);
  expect(node.said.join("\n")).toContain(`state of container ${id} is damaged`);
});

test.each([
  ["is gone", async (folder: string) => rm(join(folder, "state"))],
  [
    "cannot be read, nor any other file of it",
    async (folder: string) => {
      for (const name of ["state", "pids", "cgroups", "start"]) await writeFile(join(folder, name), "damaged");
    },
  ],
  [
    "is whole, but who its processes are and that it was started is damaged,",
    async (folder: string) => {
      await writeFile(join(folder, "pids"), "{}");
      await rm(join(folder, "claim.0"));
      await mkdir(join(folder, "claim.0"));
    },
  ],
])(
  "a container whose state file %s does not run on unknown to all, beside the one that comes in its place",
  async (_name, damage) => {
    const id = await node.sh("setsid sleep 300 & sleep 300");
    const { main, shim } = await node.pids(id);
    await damage(node.folder(id));
    await node.newAgent();
    expect(await node.runtime.listContainers()).toEqual([]);
    await until("its processes should be gone", () => !alive(main) && !alive(shim));
    expect(node.runtime.damage()).toEqual([expect.stringContaining(`state of container ${id} is damaged`)]);
  },
);

test("half-created containers of a dead agent disappear", async () => {
  const id = "ab".repeat(32);
  await mkdir(node.folder(id));
  await writeFile(join(node.folder(id), ".state.tmp"), "hooklet-st");
  await node.newAgent();
  expect(await node.runtime.listContainers()).toEqual([]);
  expect(await readdir(join(node.directory, "runtime-process", "containers"))).toEqual([]);
});

test("a start that a dead agent left behind cannot happen once the next agent has swept", async () => {
  const id = await node.create(["/bin/sleep", "300"]);
  await node.newAgent();
  // The late shim of the dead agent would have taken this claim.
  const claims = (await readdir(node.folder(id))).filter((name) => name.startsWith("claim."));
  expect(claims).toEqual(["claim.0"]);
  await node.runtime.startContainer(id);
  expect((await node.runtime.containerStatus(id)).state).toBe("CONTAINER_RUNNING");
});

test("a container whose layers were half made when the agent died can be started", async () => {
  const id = await node.create(["/bin/sleep", "300"]);
  for (const name of ["root", "upper0", "work0"]) await mkdir(join(node.folder(id), name));
  await node.newAgent();
  await node.runtime.startContainer(id);
  expect((await node.runtime.containerStatus(id)).state).toBe("CONTAINER_RUNNING");
});

test("an agent that dies while many containers start leaves each of them once, in a right state", async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => node.create(["/bin/sleep", "300"])));
  const starts = ids.map((id) => node.runtime.startContainer(id).catch(() => {}));
  await starts[0];
  await node.newAgent();
  await Promise.all(starts);
  for (const id of ids) {
    const { state } = await node.runtime.containerStatus(id);
    if (state === "CONTAINER_CREATED") await node.runtime.startContainer(id).catch(() => {});
  }
  await until("all should run", async () =>
    (await node.runtime.listContainers()).every(({ state }) => state === "CONTAINER_RUNNING"),
  );
  const mains = await Promise.all(ids.map(async (id) => (await node.pids(id)).main));
  expect(new Set(mains).size).toBe(12);
  expect(mains.every(alive)).toBe(true);
});

test("the exit code is the name of an empty file, which needs no space on a full disk", async () => {
  const id = await node.sh("exit 42");
  await node.ended(id);
  expect((await stat(join(node.directory, "runtime-process", "events", `${id}.42`))).size).toBe(0);
});

async function removeEvents(on: TestNode, id: string): Promise<void> {
  const folder = join(on.directory, "runtime-process", "events");
  for (const name of await readdir(folder)) {
    if (name.startsWith(id) && !name.endsWith(".up")) await rm(join(folder, name));
  }
}
