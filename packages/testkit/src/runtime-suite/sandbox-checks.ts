import { expect } from "../runner.js";
import { type Check, notFound } from "./checker.js";

/** The life of a sandbox. */
export function sandboxChecks(check: Check): void {
  check("a new sandbox is ready, and its metadata, labels and annotations come back", async (world) => {
    const { id, config } = await world.sandbox();
    const given = { id, metadata: config.metadata, labels: config.labels, annotations: config.annotations };
    const status = await world.settled(world.runtime.sandboxStatus(id));
    expect(status).toMatchObject({ ...given, state: "SANDBOX_READY" });
    const listed = await world.settled(world.runtime.listSandboxes({ podUid: config.metadata.uid }));
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ ...given, state: "SANDBOX_READY", createdAt: status.createdAt });
  });

  check("a sandbox was created now, in nanoseconds since the epoch", async (world) => {
    const before = BigInt(Math.floor(world.harness.clock.now()) - 1000) * 1_000_000n;
    const { id } = await world.sandbox();
    const after = BigInt(Math.ceil(world.harness.clock.now()) + 1000) * 1_000_000n;
    const { createdAt } = await world.settled(world.runtime.sandboxStatus(id));
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(after);
  });

  check("a sandbox takes the pod's resources and overhead", async (world) => {
    const config = world.sandboxConfig();
    const resources = { cpuShares: 512, memoryLimitInBytes: 64 * 1024 * 1024 };
    const linux = { ...config.linux, resources, overhead: { cpuShares: 100 } };
    const { id } = await world.runSandbox({ ...config, linux });
    expect(await world.settled(world.runtime.sandboxStatus(id))).toMatchObject({ state: "SANDBOX_READY" });
  });

  check("sandboxes are listed for one pod, or all of them", async (world) => {
    const [one, two] = [await world.sandbox(), await world.sandbox()];
    const ofTwo = await world.settled(world.runtime.listSandboxes({ podUid: two.config.metadata.uid }));
    expect(ofTwo.map((sandbox) => sandbox.id)).toEqual([two.id]);
    const all = await world.settled(world.runtime.listSandboxes());
    expect(all.map((sandbox) => sandbox.id)).toEqual(expect.arrayContaining([one.id, two.id]));
    expect(await world.settled(world.runtime.listSandboxes({ podUid: "no-such-pod" }))).toEqual([]);
  });

  check("a stopped sandbox is not ready, and listed until it is removed", async (world) => {
    const { id, config } = await world.sandbox();
    await world.settled(world.runtime.stopSandbox(id));
    const listed = await world.settled(world.runtime.listSandboxes({ podUid: config.metadata.uid }));
    expect(listed).toMatchObject([{ id, state: "SANDBOX_NOTREADY" }]);
    await world.settled(world.runtime.removeSandbox(id));
    expect(await world.settled(world.runtime.listSandboxes({ podUid: config.metadata.uid }))).toEqual([]);
    await notFound(world, world.runtime.sandboxStatus(id));
  });

  check("stopping and removing a sandbox may be repeated, and is fine with an unknown one", async (world) => {
    const { id } = await world.sandbox();
    await world.settled(world.runtime.stopSandbox(id));
    await world.settled(world.runtime.stopSandbox(id));
    await world.settled(world.runtime.removeSandbox(id));
    await world.settled(world.runtime.removeSandbox(id));
    await world.settled(world.runtime.stopSandbox(id));
    await world.settled(world.runtime.stopSandbox("no-such-sandbox"));
    await world.settled(world.runtime.removeSandbox("no-such-sandbox"));
  });

  check("stopping a sandbox ends its containers", async (world) => {
    const { id } = await world.sandbox();
    const container = await world.start(world.programs.ignoresTerm(), {}, id);
    await world.settled(world.runtime.stopSandbox(id));
    expect(await world.status(container)).toMatchObject({ state: "CONTAINER_EXITED" });
  });

  check("a removed sandbox takes its containers with it", async (world) => {
    const { id, config } = await world.sandbox();
    const ended = await world.start(world.programs.exits(0), {}, id);
    await world.ended(ended);
    await world.settled(world.runtime.stopSandbox(id));
    await world.settled(world.runtime.removeSandbox(id));
    await notFound(world, world.runtime.containerStatus(ended));
    expect(await world.settled(world.runtime.listContainers({ podUid: config.metadata.uid }))).toEqual([]);
  });

  check("a sandbox that replaces another of the same pod carries its own attempt number", async (world) => {
    const first = await world.sandbox();
    await world.settled(world.runtime.stopSandbox(first.id));
    const second = await world.sandbox({ attempt: 1, replaces: first.config.metadata.uid });
    expect(second.id).not.toBe(first.id);
    const listed = await world.settled(world.runtime.listSandboxes({ podUid: first.config.metadata.uid }));
    const found = listed.map(({ metadata, state }) => [metadata.attempt, state]).sort();
    expect(found).toEqual([
      [0, "SANDBOX_NOTREADY"],
      [1, "SANDBOX_READY"],
    ]);
  });
}
