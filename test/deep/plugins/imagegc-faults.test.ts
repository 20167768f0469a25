/** Rounds of image garbage collection that are torn down in the middle, on a real containerd whose disk is full to the last byte. */
import { statfs } from "node:fs/promises";
import type { Image } from "@hooklet/core";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeOnContainerd } from "../../../packages/runtime-cri/test/containerd.js";
import { until } from "../../support/agent.js";
import { fillDisk } from "../../support/full-disk.js";
import { GcNode, pod } from "../../support/gc-node.js";

/** Megabytes of the disk. */
const DISK = 480;
/** Images of the test and their size in megabytes; 30 of them are to go by their sizes. */
const IMAGES = 40;
const SIZE = 2;
const LOW = 87;
const marks = { imageGCHighThresholdPercent: 88, imageGCLowThresholdPercent: LOW };
const KEPT = ["busybox:1.36", "registry.k8s.io/pause:3.6"];
/** Bytes by which the disk may differ between the test's look and the agent's: far less than an image. */
const SLACK = 256 * 1024;
const name = (index: number): string => `example.test/small${String(index).padStart(2, "0")}:1`;

describeOnContainerd("image garbage collection that is torn down", () => {
  let node: GcNode;

  beforeAll(async () => {
    node = await GcNode.start("gcfaults", DISK);
    await node.containerd.blobs(...Array.from({ length: IMAGES }, (_, index) => `${name(index)}=${SIZE}`));
    // Only images of one size are left: one that is as large as all of them would end a round before it can be torn.
    const others = (await node.runtime.listImages()).filter(
      ({ repoTags }) =>
        !repoTags.some((tag) => tag.startsWith("example.test/") || KEPT.some((kept) => tag.endsWith(kept))),
    );
    for (const { id } of others) await node.runtime.removeImage(id);
    await node.detect(async () => {
      await node.place.manifest("runs.yaml", pod("runs", "busybox:1.36", ", command: [sleep, '3600']"));
      await until("the pod runs", async () => (await node.place.pod("runs"))?.status.phase === "Running");
    });
    await fillDisk(node.containerd.root);
  }, 180_000);

  afterAll(() => node?.stop(), 90_000);

  /** What may go, in the kubelet's order: all of it was seen first in one look and never used, so the ids decide. */
  async function candidates(): Promise<readonly Image[]> {
    const kept = await Promise.all(KEPT.map(async (image) => (await node.runtime.imageStatus(image))?.id));
    const images = await node.runtime.listImages();
    return images.filter(({ id }) => !kept.includes(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Bytes that are missing at the low mark. */
  async function missing(): Promise<number> {
    const { blocks, bavail, bsize } = await statfs(node.containerd.root);
    return Math.floor((blocks * bsize * (100 - LOW)) / 100) - bavail * bsize;
  }

  /** The runtime's images and the disk, once neither changes any more: a removal that was under way has ended. */
  async function settled(): Promise<{ readonly images: readonly Image[]; readonly need: number }> {
    let last = "";
    let since = performance.now();
    await until("images and disk are at rest", async () => {
      const look = `${(await candidates()).map(({ id }) => id).join()} ${await missing()}`;
      if (look !== last) [last, since] = [look, performance.now()];
      return performance.now() - since > 1_500;
    });
    return { images: await candidates(), need: await missing() };
  }

  /** What a round took, by the runtime: only from the front of the order, and none once enough was freed. */
  function gone(before: Awaited<ReturnType<typeof settled>>, after: readonly Image[]): readonly Image[] {
    const left = new Set(after.map(({ id }) => id));
    const taken = before.images.filter(({ id }) => !left.has(id));
    expect(taken.map(({ id }) => id)).toEqual(before.images.slice(0, taken.length).map(({ id }) => id));
    expect(bytes(taken.slice(0, -1))).toBeLessThan(before.need + SLACK);
    return taken;
  }

  const taken = async (before: Awaited<ReturnType<typeof settled>>): Promise<number> =>
    before.images.length - (await candidates()).length;

  /** Starts an agent and tears its first round, which may be over before a caller gets the agent's answer. */
  async function tear(before: Awaited<ReturnType<typeof settled>>, how: () => void | Promise<void>): Promise<void> {
    // An agent that is killed by then never answers.
    const answers = node.startAgent(marks).catch(() => undefined);
    await until("some images are gone", async () => (await taken(before)) >= 2);
    await how();
    await answers;
  }

  test("an agent killed in the middle of a round, then the runtime: the next agent continues each time, and no more is removed than needed", async () => {
    const full = await settled();
    await tear(full, () => node.place.kill());
    expect(node.place.output).not.toMatch(/image gc: removed \d+ images/);
    const torn = await settled();
    expect(torn.need).toBeGreaterThan(0);
    expect(bytes(gone(full, torn.images))).toBeLessThan(full.need);

    // The runtime goes in the middle of the second agent's round.
    await tear(torn, () => node.containerd.freeze());
    expect(node.place.output).not.toMatch(/image gc: removed \d+ images/);
    await node.containerd.kill();
    await node.logged("the round has failed", /Image garbage collection failed once: .*errors in image deletion/);
    expect((await node.place.hooklet("get", "pods")).code).toBe(0);
    await node.containerd.resume();
    await until("the images can be listed again", async () => (await node.images().catch(() => [])).length > 0);
    const again = await settled();
    await node.place.stop();
    expect(again.need).toBeGreaterThan(0);
    expect(bytes(gone(torn, again.images))).toBeLessThan(torn.need);

    // Undisturbed: the low mark is reached, and with one image less it would not have been.
    const said = node.place.output.length;
    await node.startAgent(marks);
    await node.logged("the third agent's round is over", /image gc: removed \d+ images/);
    const { images, need } = await settled();
    const last = gone(again, images);
    expect(bytes(last)).toBeGreaterThanOrEqual(again.need - SLACK);
    expect(node.place.output.slice(said)).toContain(`image gc: removed ${last.length} images`);
    expect(need).toBeLessThanOrEqual(0);
    expect(await node.usedPercent()).toBeLessThanOrEqual(LOW);
    // Images lie on this disk packed and unpacked: by their sizes twice as many go as by what becomes free.
    expect(images.length).toBeGreaterThan(0);
    for (const image of KEPT) expect(await node.has(image)).toBe(true);
    expect((await node.place.pod("runs"))?.status.phase).toBe("Running");
    await node.place.stop();
  }, 240_000);
});

function bytes(images: readonly Image[]): number {
  return images.reduce((sum, { size }) => sum + size, 0);
}
