import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RuntimeError } from "@hooklet/core/host";
import { describe, expect, test } from "@jest/globals";
import { images, MIB, MINUTE, SECOND, startNode } from "../node.js";

const noAge = { imageMinimumGCAge: "0s" };
const down = new RuntimeError("unavailable", "containerd is down");

describe("when something fails", () => {
  test("a runtime that is down is logged the first time, an event from the second time in a row on; the next round works", async () => {
    const node = await startNode({ options: noAge, images: images("a"), available: 0 });
    node.runtime.failNext("listImages", down, 3);
    await node.agent.advance(2 * SECOND);
    expect(node.warnings()).toEqual([]);
    await node.agent.advance(5 * MINUTE);
    expect(node.warnings().filter((text) => text.startsWith("ImageGCFailed"))).toEqual([
      "ImageGCFailed: containerd is down",
    ]);
    await node.agent.advance(10 * MINUTE);
    expect(await node.images()).toEqual([]);
  });

  test("one image that cannot be removed does not keep the others", async () => {
    const node = await startNode({ options: noAge, images: images("a", "b", "c"), available: 0 });
    node.runtime.failNext("removeImage", "device busy");
    await node.agent.advance(2 * SECOND);
    expect(await node.images()).toEqual(["a:1"]);
    expect(node.agent.problems().at(-1)).toContain(
      "wanted to free 209715200 bytes, but freed 209715200 bytes space with errors in image deletion: device busy",
    );
    expect(node.agent.api.explain("image", "a:1")[0]?.considered[0]?.why).toBe("device busy");
  });

  test("a file system without a capacity is an event, and nothing is removed", async () => {
    const node = await startNode({ options: noAge, images: images("a") });
    node.runtime.setImageFs({ capacity: 0, available: 0 });
    await node.agent.advance(2 * SECOND);
    expect(node.warnings()).toEqual(["InvalidDiskCapacity: invalid capacity 0 on image filesystem"]);
    expect(await node.images()).toEqual(["a:1"]);
  });

  test("an agent that ends in the middle of a round continues there", async () => {
    const node = await startNode({ options: noAge, images: images("a", "b", "c"), available: 0 });
    node.runtime.delay("removeImage", 10 * SECOND);
    await node.agent.advance(15 * SECOND);
    expect(await node.images()).toEqual(["b:1", "c:1"]);
    await node.agent.restart(() => node.runtime.delay("removeImage", 0));
    await node.agent.advance(2 * SECOND);
    expect(await node.images()).toEqual(["c:1"]);
    expect(await node.free()).toBe(200 * MIB);
  });

  test("statistics that lag: a round frees by the sizes of what it removes, and reports that the disk does not show it", async () => {
    const node = await startNode({ options: noAge, images: images("a", "b", "c", "d"), available: 100 * MIB });
    const stale = await node.runtime.imageFsInfo();
    node.runtime.imageFsInfo = async () => stale;
    await node.agent.advance(2 * SECOND);
    expect(await node.images()).toEqual(["b:1", "c:1", "d:1"]);
    expect(node.info()).toContain("image gc: removed 1 images, 100.0 MiB by their sizes, 0 B on disk");
    expect(node.warnings()).toEqual([]);
  });

  test("on a full disk rounds free space all the same; records are written once there is space", async () => {
    const node = await startNode({ options: { imageMinimumGCAge: "6m" }, images: images("a", "b"), available: 0 });
    const state = join(node.agent.rootDir, "state");
    // In its place no file can be made, as on a full disk.
    await writeFile(state, "");
    await node.agent.advance(11 * MINUTE);
    expect(await node.images()).toEqual([]);
    expect(node.warned().some((text) => text.startsWith("could not keep when images were last used"))).toBe(true);
    await rm(state);
    node.runtime.addImage({ names: ["c:1"] });
    await node.agent.advance(5 * MINUTE);
    const seen = async () => (await node.view()).map(({ firstDetected }) => firstDetected);
    const before = await seen();
    await node.agent.advance(MINUTE);
    await node.agent.restart();
    expect(await seen()).toEqual(before);
  });

  test("a wall clock that jumps a day makes no image older or younger", async () => {
    const node = await startNode({ options: { imageMinimumGCAge: "9m" }, images: images("a", "b"), available: 0 });
    await node.agent.advance(2 * SECOND);
    node.clock.jump(24 * 60 * MINUTE);
    await node.agent.advance(5 * MINUTE);
    expect(await node.images()).toEqual(["a:1", "b:1"]);
    node.clock.jump(-48 * 60 * MINUTE);
    await node.agent.advance(5 * MINUTE);
    expect(await node.images()).toEqual([]);
  });

  test.each([
    {
      name: "no image older in the same run of the machine",
      boot: "one",
      uptime: "1000.00 1.00",
      left: ["a:1", "b:1"],
    },
    { name: "time pass by that clock after a reboot", boot: "two", uptime: "10.00 1.00", left: [] },
  ])("a wall clock that is set a day forward while the agent is away makes $name", async ({ boot, uptime, left }) => {
    const node = await startNode({ options: { imageMinimumGCAge: "9m" }, images: images("a", "b"), available: 0 });
    const { kernel } = node.agent.host;
    kernel.set("/proc/sys/kernel/random/boot_id", "one\n");
    kernel.set("/proc/uptime", "990.00 1.00\n");
    await node.agent.advance(2 * SECOND);
    await node.agent.restart(() => {
      node.clock.jump(24 * 60 * MINUTE);
      kernel.set("/proc/sys/kernel/random/boot_id", `${boot}\n`);
      kernel.set("/proc/uptime", `${uptime}\n`);
    });
    await node.agent.advance(2 * SECOND);
    expect(await node.images()).toEqual(left);
  });
});
