import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "../runner.js";
import type { Check } from "./checker.js";
import type { World } from "./runtime-world.js";

/** Nanoseconds that a stop of this container took, by the runtime's own times. */
async function stop(world: World, id: string, grace: number): Promise<number> {
  const started = world.harness.clock.monotonic();
  await world.settled(world.runtime.stopContainer(id, grace));
  return world.harness.clock.monotonic() - started;
}

/** TERM, grace, KILL. */
export function stopChecks(check: Check): void {
  check("a container that obeys TERM ends with its own exit code, long before its grace is over", async (world) => {
    const id = await world.listening(5);
    expect(await stop(world, id, 30)).toBeLessThan(25_000);
    const status = await world.status(id);
    expect(status).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 5 });
    expect(status.finishedAt).toBeGreaterThanOrEqual(status.startedAt);
  });

  check("a container that ignores TERM is killed when its grace is over, and not before", async (world) => {
    const id = await world.listening("ignored");
    const took = await stop(world, id, 1);
    expect(took).toBeGreaterThanOrEqual(990);
    expect(took).toBeLessThan(9000);
    expect(await world.status(id)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 137 });
  });

  check("grace 0 kills at once", async (world) => {
    const id = await world.listening("ignored");
    expect(await stop(world, id, 0)).toBeLessThan(9000);
    expect(await world.status(id)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 137 });
  });

  check("stopping may be repeated, and leaves an ended container's exit code and end as they are", async (world) => {
    const id = await world.start(world.programs.exits(4));
    const ended = await world.ended(id);
    await world.settled(world.runtime.stopContainer(id, 1));
    await world.settled(world.runtime.stopContainer(id, 0));
    expect(await world.status(id)).toMatchObject({ exitCode: 4, finishedAt: ended.finishedAt });
    await world.settled(world.runtime.stopContainer("no-such-container", 1));
  });

  check("a container that was created and never started can be stopped", async (world) => {
    const id = await world.create(world.programs.runsUntilTerm(0));
    await world.settled(world.runtime.stopContainer(id, 1));
    expect((await world.status(id)).state).not.toBe("CONTAINER_RUNNING");
  });

  check("removing a running container ends it", async (world) => {
    const { id: sandbox, config } = await world.sandbox();
    const id = await world.start(world.programs.ignoresTerm(), {}, sandbox);
    await world.settled(world.runtime.removeContainer(id));
    expect(await world.settled(world.runtime.listContainers({ podUid: config.metadata.uid }))).toEqual([]);
  });
}

/** For runtimes whose containers are processes: nothing of a container outlives its stop. */
export function childrenChecks(check: Check): void {
  check("children of a container, also those in a session of their own, are gone when stop resolves", async (world) => {
    const data = join(world.directory, "data");
    await mkdir(data);
    const fork = world.programs.forksChildren;
    if (fork === undefined) throw new Error("This check needs programs.forksChildren.");
    const id = await world.start(fork("/hooklet-data/beats"), { mounts: [world.mount(data, "/hooklet-data")] });
    const beats = async (): Promise<number> =>
      readFile(join(data, "beats"), "utf8").then(
        (text) => text.length,
        () => 0,
      );
    await world.wait("the child should write", async () => (await beats()) > 0);
    await world.settled(world.runtime.stopContainer(id, 5));
    const atStop = await beats();
    await world.harness.pass(400);
    expect(await beats()).toBe(atStop);
  });
}

/** The agent goes and comes back; containers live on. */
export function restartChecks(check: Check): void {
  check("containers run on while no agent is there, and the next one knows their true start", async (world) => {
    const { id: sandbox, config } = await world.sandbox();
    const id = await world.listening(6, sandbox);
    const before = await world.status(id);
    await world.restartAgent(() => world.harness.pass(200));
    expect(await world.status(id)).toEqual(before);
    expect(await world.settled(world.runtime.listSandboxes({ podUid: config.metadata.uid }))).toMatchObject([
      { id: sandbox, state: "SANDBOX_READY", metadata: config.metadata, labels: config.labels },
    ]);
    await world.settled(world.runtime.stopContainer(id, 10));
    expect(await world.status(id)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 6 });
  });

  check("a container that ended while no agent was there has its true exit code and end", async (world) => {
    const id = await world.start(world.programs.exitsAfter(400, 9));
    const { startedAt } = await world.status(id);
    // On a busy machine the program may still run when the next agent starts; then the pause is longer.
    let back = 0;
    for (let alone = 1500; alone < 30_000; alone *= 2) {
      await world.restartAgent(async () => {
        await world.harness.pass(alone);
        back = world.harness.clock.now();
      });
      if ((await world.status(id)).state === "CONTAINER_EXITED") break;
    }
    const status = await world.ended(id);
    expect(status).toMatchObject({ exitCode: 9, startedAt, reason: "Error" });
    expect(status.finishedAt - startedAt).toBeGreaterThanOrEqual(300_000_000n);
    expect(status.finishedAt).toBeLessThan(BigInt(Math.floor(back)) * 1_000_000n);
  });

  check("a container that had ended before keeps all of its status, and a removed one stays removed", async (world) => {
    const { id: sandbox, config } = await world.sandbox();
    const kept = await world.ended(await world.start(world.programs.exits(2), {}, sandbox));
    const gone = await world.start(world.programs.exits(0), { metadata: { name: "main", attempt: 1 } }, sandbox);
    await world.ended(gone);
    await world.settled(world.runtime.removeContainer(gone));
    await world.restartAgent();
    expect(await world.status(kept.id)).toEqual(kept);
    const listed = await world.settled(world.runtime.listContainers({ podUid: config.metadata.uid }));
    expect(listed.map(({ id }) => id)).toEqual([kept.id]);
  });

  check("a container that was created but not started can be started by the next agent", async (world) => {
    const id = await world.create(world.programs.exits(11));
    await world.restartAgent();
    expect(await world.status(id)).toMatchObject({ state: "CONTAINER_CREATED" });
    await world.settled(world.runtime.startContainer(id));
    expect((await world.ended(id)).exitCode).toBe(11);
  });

  check("output that is written while no agent is there is in the log", async (world) => {
    const id = await world.start(world.programs.printsAfter(400, "no agent listens"));
    await world.restartAgent(() => world.harness.pass(1200));
    expect(await world.log(await world.ended(id))).toBe("no agent listens\n");
  });
}
