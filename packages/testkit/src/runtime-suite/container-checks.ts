import { Labels } from "@hooklet/core";
import { Annotations } from "@hooklet/core/host";
import { expect } from "../runner.js";
import { type Check, notFound, refused } from "./checker.js";

/** Create, start, end, remove. */
export function containerChecks(check: Check): void {
  check(
    "a container that was created and not started has no start, no end and all that it was given",
    async (world) => {
      const { id: sandboxId, config } = await world.sandbox();
      const id = await world.create(world.programs.exits(0), {}, sandboxId);
      expect(await world.status(id)).toMatchObject({
        id,
        sandboxId,
        state: "CONTAINER_CREATED",
        metadata: { name: "main", attempt: 0 },
        labels: { [Labels.podUid]: config.metadata.uid, [Labels.containerName]: "main", tier: "test" },
        annotations: { [Annotations.restartCount]: "0", [Annotations.containerHash]: "c0ffee" },
        startedAt: 0n,
        finishedAt: 0n,
      });
    },
  );

  check("a CDI device that does not exist is refused by its name, and nothing runs", async (world) => {
    const { id: sandboxId } = await world.sandbox();
    const cdiDevices = ["vendor.invalid/none=nothing"];
    // Some runtimes check the devices when they create the container, others when they start it.
    const error = await refused(world, world.start(world.programs.exits(0), { cdiDevices }, sandboxId));
    expect(error.message).toContain("vendor.invalid/none=nothing");
    const listed = await world.settled(world.runtime.listContainers({ sandboxId }));
    expect(listed.filter(({ state }) => state === "CONTAINER_RUNNING")).toEqual([]);
  });

  check("containers are listed by pod and by sandbox", async (world) => {
    const [one, two] = [await world.sandbox(), await world.sandbox()];
    const first = await world.create(world.programs.exits(0), { metadata: { name: "a", attempt: 0 } }, one.id);
    const second = await world.create(world.programs.exits(0), { metadata: { name: "b", attempt: 0 } }, one.id);
    const other = await world.create(world.programs.exits(0), {}, two.id);
    const ids = async (filter?: { podUid?: string; sandboxId?: string }): Promise<string[]> =>
      (await world.settled(world.runtime.listContainers(filter))).map((container) => container.id).sort();
    expect(await ids({ podUid: one.config.metadata.uid })).toEqual([first, second].sort());
    expect(await ids({ sandboxId: two.id })).toEqual([other]);
    expect(await ids()).toEqual(expect.arrayContaining([first, second, other]));
    expect(await ids({ podUid: "no-such-pod" })).toEqual([]);
  });

  check("a started container runs, and its start is not before its creation", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const status = await world.status(id);
    expect(status).toMatchObject({ state: "CONTAINER_RUNNING", finishedAt: 0n });
    expect(status.startedAt).toBeGreaterThanOrEqual(status.createdAt);
  });

  for (const [code, reason] of [
    [0, "Completed"],
    [3, "Error"],
    [255, "Error"],
  ] as const) {
    check(`a program that ends with ${code} leaves exit code ${code} and reason ${reason}`, async (world) => {
      const status = await world.ended(await world.start(world.programs.exits(code)));
      expect(status).toMatchObject({ exitCode: code, reason });
      expect(status.startedAt).toBeGreaterThan(0n);
      expect(status.finishedAt).toBeGreaterThanOrEqual(status.startedAt);
    });
  }

  check(
    "a command that does not exist refuses to start and leaves exit code 128 with reason StartError",
    async (world) => {
      const id = await world.create(world.programs.missing());
      await refused(world, world.runtime.startContainer(id));
      const status = await world.status(id);
      expect(status).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 128, reason: "StartError" });
      expect(status.message).toContain("hooklet-no-such-command");
    },
  );

  check("a container starts once only", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const { startedAt } = await world.status(id);
    await refused(world, world.runtime.startContainer(id));
    expect(await world.status(id)).toMatchObject({ state: "CONTAINER_RUNNING", startedAt });
  });

  check(
    "attempts of one container stand side by side with their numbers, and the ended one keeps its exit code",
    async (world) => {
      const { id: sandbox, config } = await world.sandbox();
      const first = await world.start(world.programs.exits(7), {}, sandbox);
      await world.ended(first);
      const second = await world.start(
        world.programs.runsUntilTerm(0),
        { metadata: { name: "main", attempt: 1 } },
        sandbox,
      );
      const listed = await world.settled(world.runtime.listContainers({ podUid: config.metadata.uid }));
      expect(listed.map(({ id, metadata }) => [metadata.attempt, id]).sort()).toEqual([
        [0, first],
        [1, second],
      ]);
      expect(await world.status(first)).toMatchObject({ exitCode: 7, state: "CONTAINER_EXITED" });
    },
  );

  check("a removed container is unknown and listed no more; removing may be repeated", async (world) => {
    const id = await world.start(world.programs.exits(0));
    await world.ended(id);
    await world.settled(world.runtime.removeContainer(id));
    await notFound(world, world.runtime.containerStatus(id));
    const listed = await world.settled(world.runtime.listContainers());
    expect(listed.map((container) => container.id)).not.toContain(id);
    await world.settled(world.runtime.removeContainer(id));
    await world.settled(world.runtime.removeContainer("no-such-container"));
  });

  check("a container that was never started can be removed", async (world) => {
    const id = await world.create(world.programs.exits(0));
    await world.settled(world.runtime.removeContainer(id));
    await notFound(world, world.runtime.containerStatus(id));
  });

  check("twenty containers started at once run side by side, each with its own id and exit code", async (world) => {
    const codes = Array.from({ length: 20 }, (_, index) => index);
    const ids = await Promise.all(codes.map((code) => world.start(world.programs.exitsAfter(200, code))));
    expect(new Set(ids).size).toBe(20);
    const statuses = await Promise.all(ids.map((id) => world.ended(id)));
    expect(statuses.map((status) => status.exitCode)).toEqual(codes);
  });

  check("what is unknown is refused as not-found", async (world) => {
    const { runtime, programs } = world;
    const { id, config } = await world.sandbox();
    const container = await world.create(programs.exits(0), {}, id);
    await world.settled(runtime.removeContainer(container));
    await notFound(world, runtime.sandboxStatus("no-such-sandbox"));
    for (const unknown of [container, "no-such-container"]) {
      await notFound(world, runtime.containerStatus(unknown));
      await notFound(world, runtime.startContainer(unknown));
      await notFound(world, runtime.execSync(unknown, ["true"], 1));
      await notFound(world, runtime.updateContainerResources(unknown, { cpuShares: 2 }));
    }
    await world.settled(runtime.stopSandbox(id));
    await world.settled(runtime.removeSandbox(id));
    await notFound(world, runtime.createContainer(id, world.config(programs.exits(0), config), config));
  });
}
