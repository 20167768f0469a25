/** Rounds of image garbage collection that are torn down in the middle, on a real containerd whose disk is full to the last byte. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeOnContainerd } from "../../../packages/runtime-cri/test/containerd.js";
import { until } from "../agent.js";
import { fillDisk } from "./full-disk.js";
import { GcNode, pod } from "./gc-node.js";

/** Megabytes of the disk; the images of the script take about 215 of it. */
const DISK = 480;
/** Images of the test, their size in megabytes, and how much of them is to go: 30. */
const IMAGES = 40;
const SIZE = 2;
const LOW = 87;
const marks = { imageGCHighThresholdPercent: 88, imageGCLowThresholdPercent: LOW };
const KEPT = ["busybox:1.36", "registry.k8s.io/pause:3.6"];
const name = (index: number): string => `example.test/small${String(index).padStart(2, "0")}:1`;

describeOnContainerd("image garbage collection that is torn down", () => {
  let node: GcNode;

  beforeAll(async () => {
    node = await GcNode.start("gcfaults", DISK);
    await node.containerd.blobs(...Array.from({ length: IMAGES }, (_, index) => `${name(index)}=${SIZE}`));
    await node.detect(async () => {
      await node.place.manifest("runs.yaml", pod("runs", "busybox:1.36", ", command: [sleep, '3600']"));
      await until("the pod runs", async () => (await node.place.pod("runs"))?.status.phase === "Running");
    });
    await fillDisk(node.containerd.root);
  }, 180_000);

  afterAll(() => node?.stop(), 90_000);

  /** Names in the order in which they went, by the agents' logs. */
  const removed = (): readonly string[] =>
    [...node.place.output.matchAll(/image gc: removed (\S+) \(\d+ bytes\)/g)].map(([, image = ""]) => image);

  async function left(): Promise<number> {
    const images = await node.runtime.listImages();
    return images.filter(({ repoTags }) => repoTags.some((tag) => tag.startsWith("example.test/small"))).length;
  }

  test("an agent killed in the middle of a round, then the runtime: the next agent goes on each time, and what is used stays", async () => {
    await node.startAgent(marks);
    await until("some images are gone", async () => removed().length >= 2);
    await node.place.kill();
    const first = removed().length;
    expect(node.place.output).not.toMatch(/image gc: removed \d+ images/);
    expect(await node.usedPercent()).toBeGreaterThan(LOW);

    // The runtime goes in the middle of the second agent's round.
    await node.startAgent(marks);
    await until("more images are gone", async () => removed().length >= first + 2);
    await node.containerd.kill();
    await node.logged("the round has failed", /Image garbage collection failed once: .*errors in image deletion/);
    const second = removed().length;
    expect((await node.place.hooklet("get", "pods")).code).toBe(0);
    await node.containerd.resume();
    await until("the images can be listed again", async () => (await node.images().catch(() => [])).length > 0);
    // Two removals may have been under way, one when the agent was killed and one when the runtime was.
    const there = await left();
    expect(there).toBeLessThanOrEqual(IMAGES - second);
    expect(there).toBeGreaterThanOrEqual(IMAGES - second - 2);
    await node.place.stop();

    await node.startAgent(marks);
    await node.logged("the third agent's round is over", /image gc: removed \d+ images/);
    expect(await node.usedPercent()).toBeLessThanOrEqual(LOW);
    // Images lie on this disk packed and unpacked: by their sizes twice as many go as by what becomes free.
    expect(await left()).toBeGreaterThan(0);
    for (const image of KEPT) expect(await node.has(image)).toBe(true);
    expect(new Set(removed()).size).toBe(removed().length);
    expect((await node.place.pod("runs"))?.status.phase).toBe("Running");
    await node.place.stop();
  }, 240_000);
});
