import { expect } from "../runner.js";
import { type Check, refused } from "./check.js";

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
