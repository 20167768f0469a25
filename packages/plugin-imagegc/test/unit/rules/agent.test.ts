import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { StrategyEntry } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import type { OrderStrategy } from "../../../src/index.js";
import { images, MIB, MINUTE, SECOND, startNode } from "../node.js";

const noAge = { imageMinimumGCAge: "0s" };

describe("a full disk", () => {
  test("is freed to the low mark as soon as the pods are known; what pods and sandboxes use stays", async () => {
    const node = await startNode({
      options: noAge,
      images: images("a", "b", "c", "app"),
      available: 100 * MIB,
      sandboxImage: "pause:3.6",
    });
    node.runtime.setImageFs({ available: 100 * MIB });
    await node.run({ name: "web", containers: [{ image: "app:1" }] });
    await node.agent.advance(2 * SECOND);
    expect(await node.images()).toEqual(["app:1", "b:1", "c:1", "pause:3.6"]);
    expect(await node.free()).toBe(200 * MIB);
    expect(node.warnings()).toEqual([]);
    expect(await node.metric("kubelet_image_garbage_collected_total")).toEqual([
      'kubelet_image_garbage_collected_total{reason="space"} 1',
    ]);
    expect(node.agent.problems()).toEqual([]);
    const [recorded] = node.agent.api.explain("image", "a:1");
    expect(recorded?.outcome).toBe("removed for space: 90% of the image filesystem used, 100.0 MiB to free");
  });

  test("keeps images that are younger than the minimum age, and reports that it could not free enough", async () => {
    const node = await startNode({ images: images("a", "b"), available: 50 * MIB });
    await node.agent.advance(2 * SECOND);
    expect(await node.images()).toEqual(["a:1", "b:1"]);
    expect(node.warnings()).toEqual([
      "FreeDiskSpaceFailed: Insufficient free disk space on the node's image filesystem (95% of 1000.0 MiB used). Failed to free sufficient space by deleting unused images (freed 0 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.",
    ]);
    await node.agent.advance(5 * MINUTE);
    expect(await node.images()).toEqual([]);
  });

  test("every five minutes again", async () => {
    const node = await startNode({ options: noAge });
    await node.agent.advance(2 * SECOND);
    for (const image of images("a", "b")) node.runtime.addImage(image);
    node.runtime.setImageFs({ available: 100 * MIB });
    await node.agent.advance(4 * MINUTE);
    expect(await node.images()).toEqual(["a:1", "b:1"]);
    await node.agent.advance(MINUTE);
    expect(await node.images()).toEqual(["b:1"]);
  });
});

describe("an image that a pod is about to use", () => {
  test("stays while its container is being made", async () => {
    const node = await startNode({ options: noAge, available: 900 * MIB });
    await node.agent.advance(4 * MINUTE + 50 * SECOND);
    for (const image of images("old", "app")) node.runtime.addImage(image);
    node.runtime.setImageFs({ available: 0 });
    node.runtime.delay("createContainer", 30 * SECOND);
    await node.run({ name: "web", containers: [{ image: "app:1" }] });
    await node.agent.advance(20 * SECOND);
    expect(await node.images()).toEqual(["app:1"]);
    await node.agent.advance(MINUTE);
    expect(node.runtime.running("web")).toEqual(["main"]);
  });

  test("stays over a restart of the agent that held it, before there is a container of it", async () => {
    const node = await startNode({ options: noAge, available: 900 * MIB });
    for (const image of images("old", "app")) node.runtime.addImage(image);
    node.runtime.delay("createContainer", 10 * MINUTE);
    await node.run({ name: "web", containers: [{ image: "app:1" }] });
    await node.agent.restart(() => node.runtime.setImageFs({ available: 0 }));
    await node.agent.advance(2 * SECOND);
    expect(await node.images()).toEqual(["app:1"]);
  });

  test("of a dead container stays until its pod is removed", async () => {
    const node = await startNode({ options: noAge, images: images("job"), available: 0 });
    node.runtime.script({ pod: "job" }, (process) => process.exit(0));
    await node.run({ name: "job", containers: [{ image: "job:1" }], spec: { restartPolicy: "Never" } });
    await node.agent.advance(6 * MINUTE);
    expect(await node.images()).toEqual(["job:1"]);
    expect((await node.view())[0]).toMatchObject({ image: "job:1", users: "container default/job/main" });
    await node.agent.delete("job");
    await node.agent.advance(5 * MINUTE);
    expect(await node.images()).toEqual([]);
  });
});

describe("the output of the CLI", () => {
  test("the images, their uses, their last use and the next round's plan", async () => {
    const node = await startNode({ options: noAge, images: images("app", "old"), available: 300 * MIB });
    await node.run({ name: "web", containers: [{ image: "app:1" }] });
    await node.agent.advance(2 * SECOND);
    const rows = await node.view();
    expect(rows.map(({ image, size, used, users, "next round": next }) => [image, size, used, users, next])).toEqual([
      ["old:1", "100.0 MiB", "never", "", "enough room"],
      ["app:1", "100.0 MiB", "now", "container default/web/main", "in use"],
    ]);
  });

  test("why an image is still there", async () => {
    const node = await startNode({ options: noAge, images: images("app"), available: 300 * MIB });
    await node.run({ name: "web", containers: [{ image: "app:1" }] });
    const [recorded] = await node.agent.api.explainNow("image", "app:1");
    expect(recorded?.outcome).toBe("stays: by container default/web/main");
    node.runtime.addImage({ names: ["idle:1"] });
    const [idle] = await node.agent.api.explainNow("image", "idle:1");
    expect(idle?.outcome).toBe("stays: 77% of the image filesystem used, images are removed from 85% on");
    expect(await node.agent.api.explainNow("image", "other:1")).toEqual([]);
    const ofPod = await node.agent.api.explainNow("pod", "web");
    expect(ofPod.filter(({ plugin }) => plugin !== "core")).toEqual([]);
  });

  test("a plan of dead containers and of directories of pods that are gone, which removes neither", async () => {
    const node = await startNode();
    node.runtime.script({ pod: "crash" }, (process) => process.exit(1));
    await node.run({ name: "crash" });
    await node.agent.advance(50 * SECOND);
    await mkdir(join(node.agent.rootDir, "pods/gone"), { recursive: true });
    const before = (await node.runtime.listContainers()).length;
    const [, cleaning] = await node.agent.api.plan("imagegc", { arguments: {} });
    expect(cleaning?.outcome).toBe(`would remove ${before - 1} dead containers, 0 sandboxes, 1 directories of pods`);
    expect(cleaning?.considered.at(-1)).toEqual({
      candidate: "pod directory/gone",
      verdict: "would be removed",
      why: "its pod is gone",
    });
    expect((await node.runtime.listContainers()).length).toBe(before);
    expect(existsSync(join(node.agent.rootDir, "pods/gone"))).toBe(true);
  });

  test("a plan down to another percentage", async () => {
    const node = await startNode({ options: noAge, images: images("a", "b"), available: 300 * MIB });
    const [decision] = await node.agent.api.plan("imagegc", { arguments: { until: "60" } });
    expect(decision?.outcome).toMatch(
      /^70% of the image filesystem used, 100.0 MiB to free: would remove 1 images, 100.0 MiB/,
    );
    expect(await node.images()).toEqual(["a:1", "b:1"]);
  });

  test.each([
    { name: "an argument that it does not know", arguments: { to: "60" }, text: "found --to" },
    { name: "no percentage", arguments: { until: "much" }, text: 'found "much"' },
    { name: "more than all", arguments: { until: "101" }, text: 'found "101"' },
  ])("a plan with $name is refused", async ({ arguments: given, text }) => {
    const node = await startNode();
    await expect(node.agent.api.plan("imagegc", { arguments: given })).rejects.toThrow(text);
  });
});

test("when an image was last used survives a restart of the agent", async () => {
  const node = await startNode({ images: images("app", "other") });
  await node.run({ name: "web", containers: [{ image: "app:1" }], spec: { terminationGracePeriodSeconds: 1 } });
  await node.agent.advance(5 * MINUTE);
  await node.agent.delete("web");
  await node.agent.advance(10 * MINUTE);
  const before = (await node.view()).map(({ image, lastUsed, firstDetected }) => [image, lastUsed, firstDetected]);
  await node.agent.restart();
  await node.agent.advance(2 * SECOND);
  expect((await node.view()).map(({ image, lastUsed, firstDetected }) => [image, lastUsed, firstDetected])).toEqual(
    before,
  );
  expect(before.find(([image]) => image === "app:1")?.[1]).not.toBeNull();
});

test("a result that is no order is reported once a round, and the kubelet's order is used", async () => {
  const broken: StrategyEntry<OrderStrategy> = {
    description: "none",
    options: (z) => z.strictObject({}),
    create: () => () => [],
  };
  const node = await startNode({
    options: { ...noAge, order: "broken" },
    strategies: { broken },
    images: images("a", "b"),
    available: 100 * MIB,
  });
  await node.agent.advance(2 * SECOND);
  expect(await node.images()).toEqual(["b:1"]);
  expect(node.warnings()).toEqual([
    expect.stringContaining(
      'ImageOrderInvalid: image gc: the answer of order strategy "broken" is not used: expected each candidate once',
    ),
  ]);
  expect(node.agent.log).toContainEqual(expect.objectContaining({ level: 50, strategy: "broken" }));
});

test("with the high mark at 100 and no maximum age no image ever goes, but dead containers do", async () => {
  const node = await startNode({
    options: { ...noAge, imageGCHighThresholdPercent: 100 },
    images: images("a"),
    available: 0,
  });
  node.runtime.script({ pod: "crash" }, (process) => process.exit(1));
  await node.run({ name: "crash" });
  await node.agent.advance(6 * MINUTE);
  expect(await node.images()).toContain("a:1");
  expect(await node.runtime.listContainers()).toHaveLength(1);
});
