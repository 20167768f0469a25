import type { RuntimeEvent } from "@hooklet/core/host";
import { expect } from "../runner.js";
import { type Check, refused } from "./checker.js";

/** Health, facts and figures. */
export function nodeChecks(check: Check): void {
  check("a healthy runtime reports no problem, its name and what it isolates", async (world) => {
    expect(await world.settled(world.runtime.health())).toBeUndefined();
    const info = await world.settled(world.runtime.info());
    expect(info.runtimeName).not.toBe("");
    expect(info.idPrefix).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(info.isolation.length).toBeGreaterThan(0);
    expect(info.sandboxImage).not.toBe("");
    expect([undefined, "cgroupfs", "systemd"]).toContain(info.cgroupDriver);
    expect(info.runtimeHandlers ?? [""]).toContain("");
  });

  check("a running container has stats under its id and labels", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const stats = await world.settled(world.runtime.listContainerStats());
    expect(stats.find((entry) => entry.id === id)?.labels).toMatchObject({ tier: "test" });
  });
}

/** For runtimes that take resources. */
export function resourceChecks(check: Check): void {
  check("resources of a running container change without a restart", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const before = await world.status(id);
    await world.settled(world.runtime.updateContainerResources(id, { cpuShares: 512 }));
    expect(await world.status(id)).toMatchObject({ state: "CONTAINER_RUNNING", startedAt: before.startedAt });
  });
}

/** For runtimes that have events. */
export function eventChecks(check: Check): void {
  check(
    "start and end of a container are reported to every listener, with the pod's uid, until it unsubscribes",
    async (world) => {
      const [heard, deaf]: [RuntimeEvent[], RuntimeEvent[]] = [[], []];
      const stop = world.runtime.subscribe?.((event) => heard.push(event));
      const stopDeaf = world.runtime.subscribe?.((event) => deaf.push(event));
      stopDeaf?.();
      const { id: sandbox, config } = await world.sandbox();
      const id = await world.start(world.programs.exitsAfter(100, 0), {}, sandbox);
      const isReported = (type: RuntimeEvent["type"]): boolean =>
        heard.some((event) => event.containerId === id && event.type === type && event.podUid === config.metadata.uid);
      await world.wait("the start should be reported", () => isReported("CONTAINER_STARTED"));
      await world.wait("the end should be reported", () => isReported("CONTAINER_STOPPED"));
      // An event says: ask again. So the answer must already be there.
      expect(await world.status(id)).toMatchObject({ state: "CONTAINER_EXITED" });
      stop?.();
      expect(deaf).toEqual([]);
    },
  );
}

/** A name that no registry has: `.invalid` is reserved (RFC 2606). */
const UNKNOWN = "registry.invalid/hooklet/no-such-image:1";

export function imageChecks(check: Check): void {
  check("an image that is not there is undefined, not an error", async (world) => {
    expect(await world.settled(world.runtime.imageStatus(UNKNOWN))).toBeUndefined();
  });

  check("an image is known by name and by id, and listed", async (world) => {
    const name = world.programs.exits(0).image;
    const image = await world.settled(world.runtime.imageStatus(name));
    expect(image?.id).toEqual(expect.any(String));
    expect(await world.settled(world.runtime.imageStatus(image?.id ?? ""))).toMatchObject({ id: image?.id });
    expect((await world.settled(world.runtime.listImages())).map(({ id }) => id)).toContain(image?.id);
  });

  check("an image that cannot be had is refused by pullImage, and removing it is fine", async (world) => {
    await refused(world, world.runtime.pullImage(UNKNOWN));
    await world.settled(world.runtime.removeImage(UNKNOWN));
  });

  check("the image file system has a place and figures of 0 or more", async (world) => {
    const info = await world.settled(world.runtime.imageFsInfo());
    expect(info.mountpoint).toMatch(/^\//);
    expect(info.usedBytes).toBeGreaterThanOrEqual(0);
    expect(info.inodesUsed).toBeGreaterThanOrEqual(0);
    if (info.container !== undefined) expect(info.container.mountpoint).toMatch(/^\//);
  });
}

/** For runtimes with a registry in reach. */
export function pullChecks(check: Check): void {
  check("a pull returns the id by which the image is then known", async (world) => {
    const name = world.programs.exits(0).image;
    const id = await world.settled(world.runtime.pullImage(name));
    expect(await world.settled(world.runtime.imageStatus(name))).toMatchObject({ id });
  });
}
