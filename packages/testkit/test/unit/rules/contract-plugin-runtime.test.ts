/** `ctx.runtime`: what a plugin may ask the runtime, and what it may remove. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { definePlugin, type NodeContext } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { aPod } from "../../../src/builders.js";
import { SimulatedRuntime, startTestAgent, type TestAgent, VirtualClock } from "../../../src/index.js";
import { containerConfig, sandboxConfigOf } from "../../../src/runtime-suite/configs.js";

let agent: TestAgent;

async function start(options: Partial<ConstructorParameters<typeof SimulatedRuntime>[0]> = {}): Promise<NodeContext> {
  let context: NodeContext | undefined;
  const seeing = definePlugin({
    meta: { name: "seeing", api: 1 },
    start(ctx) {
      context = ctx;
    },
  });
  const clock = new VirtualClock();
  agent = await startTestAgent({ plugins: [seeing], clock, runtime: new SimulatedRuntime({ clock, ...options }) });
  if (context === undefined) throw new Error("the plugin was not started");
  return context;
}

test("has the runtime's facts, and the path of pods' logs", async () => {
  const { runtime, node } = await start({ sandboxImage: "pause:3.9" });
  expect(await runtime.facts()).toEqual({
    runtimeName: "simulated",
    runtimeVersion: "1",
    sandboxImage: "pause:3.9",
    cgroupDriver: "cgroupfs",
    podLogsDir: join(node.rootDir, "logs"),
    podNetworks: true,
    cgroups: true,
    runtimeHandlers: [""],
  });
});

describe("removal of images", () => {
  test("what a pull or a starting container holds stays, by each of its names and its id, and goes afterwards", async () => {
    const { runtime } = await start({ images: [{ names: ["web:1", "team/web:1"] }] });
    const { id = "" } = (await runtime.imageStatus("web:1")) ?? {};
    agent.runtime.delay("pullImage", 1000);
    await agent.apply(aPod({ containers: [{ image: "team/web:1", imagePullPolicy: "Always" }] }));
    expect(runtime.heldImages()).toEqual(["team/web:1"]);
    for (const name of ["web:1", "team/web:1", id]) {
      await expect(runtime.removeImage(name)).rejects.toMatchObject({ code: "failed-precondition" });
    }
    await agent.advance(1000);
    expect(runtime.heldImages()).toEqual([]);
    await runtime.removeImage(id);
    expect(await runtime.imageStatus("web:1")).toBeUndefined();
  });

  test("the sandbox image stays, under all its names", async () => {
    const { runtime } = await start({ sandboxImage: "pause:3.9" });
    const { id = "", repoDigests = [] } = (await runtime.imageStatus("pause:3.9")) ?? {};
    for (const name of ["pause:3.9", id, ...repoDigests]) {
      await expect(runtime.removeImage(name)).rejects.toThrow(/every sandbox runs from it/);
    }
  });
});

describe("removal of the dead", () => {
  test("a container that runs is refused, one that ended goes with its logs, one that is gone is fine", async () => {
    const { runtime } = await start();
    await agent.apply(aPod({ spec: { restartPolicy: "Never" } }));
    const [container] = await runtime.listContainers();
    const { id = "" } = container ?? {};
    await expect(runtime.removeDeadContainer(id)).rejects.toMatchObject({ code: "failed-precondition" });
    agent.runtime.exit("web", "main", 1);
    await runtime.removeDeadContainer(id);
    expect(await runtime.listContainers()).toEqual([]);
    await runtime.removeDeadContainer(id);
  });

  test("logs go only where the agent's pods have theirs", async () => {
    const { runtime } = await start();
    const { podLogsDir } = await runtime.facts();
    const outside = join(dirname(podLogsDir), "elsewhere");
    const files = async (folder: string): Promise<readonly string[]> => readdir(join(folder, "main"));
    for (const [name, folder] of [
      ["own", join(podLogsDir, "own")],
      ["foreign", outside],
    ] as const) {
      await mkdir(join(folder, "main"), { recursive: true });
      for (const file of ["0.log", "0.log.20260101-000000.gz", "1.log"])
        await writeFile(join(folder, "main", file), "");
      const sandbox = { ...sandboxConfigOf(aPod({ name })), logDirectory: folder };
      await agent.runtime.pullImage("app:1");
      const config = containerConfig({ image: "app:1", command: ["x"] }, "app:1", sandbox, {});
      const id = await agent.runtime.createContainer(await agent.runtime.runSandbox(sandbox), config, sandbox);
      await runtime.removeDeadContainer(id);
    }
    expect(await files(join(podLogsDir, "own"))).toEqual(["1.log"]);
    expect(await files(outside)).toHaveLength(3);
  });

  test("a sandbox in which a container runs is refused, another one goes with what is dead in it", async () => {
    const { runtime } = await start();
    await agent.apply(aPod({ spec: { restartPolicy: "Never" } }));
    const { id = "" } = (await runtime.listSandboxes())[0] ?? {};
    await expect(runtime.removeDeadSandbox(id)).rejects.toMatchObject({ code: "failed-precondition" });
    agent.runtime.exit("web", "main", 0);
    await runtime.removeDeadSandbox(id);
    expect(await runtime.listSandboxes()).toEqual([]);
    expect(await runtime.listContainers()).toEqual([]);
    await runtime.removeDeadSandbox(id);
  });
});

describe("file systems", () => {
  test("the node's is the host's at the root dir; images and layers are where the runtime reports", async () => {
    const { runtime, node } = await start({ imageFs: { capacity: 1000, available: 400, inodes: 100, inodesFree: 30 } });
    agent.host.setFileSystem(node.rootDir, { device: "8:2", capacityBytes: 5000, availableBytes: 10 });
    const { node: ofNode, image, container } = await runtime.fileSystems();
    expect(ofNode).toMatchObject({ mountpoint: node.rootDir, device: "8:2", capacityBytes: 5000, availableBytes: 10 });
    expect(ofNode.at).toBe(agent.clock.now());
    expect(image).toMatchObject({
      capacityBytes: 1000,
      availableBytes: 400,
      inodes: 100,
      inodesFree: 30,
      usedBytes: 0,
    });
    expect(container).toBe(image);
  });

  test("a separate place for layers is measured by the host where the runtime reports no size", async () => {
    const container = { mountpoint: "/layers", usedBytes: 7, inodesUsed: 2 };
    const { runtime } = await start({ imageFs: { container } });
    agent.host.setFileSystem("/layers", { device: "8:9", capacityBytes: 900, availableBytes: 90 });
    expect((await runtime.fileSystems()).container).toMatchObject({ ...container, device: "8:9", availableBytes: 90 });
  });

  test("a file system that does not answer is an error, and no guess", async () => {
    const { runtime, node } = await start();
    agent.host.fail("statfs", node.rootDir, "EIO");
    await expect(runtime.fileSystems()).rejects.toMatchObject({ code: "EIO" });
  });
});
