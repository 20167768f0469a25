/** Garbage collection by the real binary on a real containerd whose images lie on a small disk of their own. */
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeOnContainerd } from "../../packages/runtime-cri/test/containerd.js";
import { releaseMounts } from "../../packages/volumes/src/sub-path-mounts.js";
import { until } from "../support/agent.js";
import { GcNode, pod } from "../support/gc-node.js";

/** Megabytes of the disk; the images of the script take about 215 of it. */
const DISK = 760;
const SIZES = [1, 5, 20, 60, 1, 5, 20, 40, 10, 3, 2, 30];
/** Seconds. */
const MIN_AGE = 5;
const blob = (index: number): string => `example.test/blob${String(index).padStart(2, "0")}:1`;

describeOnContainerd("garbage collection on containerd", () => {
  let node: GcNode;

  beforeAll(async () => {
    node = await GcNode.start("imagegc", DISK);
  }, 90_000);

  afterAll(async () => {
    await releaseMounts(path.join(node.place.rootDir, "pods"));
    await node.stop();
  }, 90_000);

  test("a disk over the high mark is freed to the low mark in the kubelet's order; what is used, pinned or young stays", async () => {
    // The images come in three groups, so that the first are the ones seen first.
    let seen = 0;
    for (const group of [0, 1, 2]) {
      const names = SIZES.map((size, index) => `${blob(index)}=${size}`).slice(group * 4, group * 4 + 4);
      await node.containerd.blobs(...names);
      await node.detect(async () => {
        if (group !== 0) return;
        // Blobs hold no program: this pod's container fails to start and stays as a dead one.
        await node.place.manifest("dead.yaml", pod("dead", blob(2)));
        await node.place.manifest("runs.yaml", pod("runs", "busybox:1.36", ", command: [sleep, '3600']"));
        await until("the pods are there", async () => {
          const phases = (await node.place.pods()).map(({ status }) => status.phase).sort();
          return phases.join() === "Failed,Running";
        });
      });
      if (group === 1) seen = performance.now();
    }
    // As old as this machine is quick: the first two groups have to be older than the minimum age.
    await until("the images seen first are old enough", async () => performance.now() - seen > (MIN_AGE + 1) * 1000);
    await node.containerd.blobs("example.test/young:1=8");
    const before = { percent: await node.usedPercent(), available: await node.available() };
    expect(before.percent).toBeGreaterThanOrEqual(80);

    await node.startAgent({
      imageGCHighThresholdPercent: 80,
      imageGCLowThresholdPercent: 70,
      imageMinimumGCAge: `${MIN_AGE}s`,
    });
    await node.logged("the first round is over", /image gc: removed \d+ images/);

    const gone = [];
    for (const index of SIZES.keys()) if (!(await node.has(blob(index)))) gone.push(index);
    // Seen first, used never; blob 2 is that of a dead container. Within a group the ids decide.
    expect(gone).not.toContain(2);
    expect(gone).toContain(3);
    for (const index of gone) expect(index).toBeLessThan(8);
    for (const name of ["busybox:1.36", "registry.k8s.io/pause:3.6", "example.test/young:1"])
      expect(await node.has(name)).toBe(true);
    expect(await node.usedPercent()).toBeLessThanOrEqual(70);

    const [, reported = ""] =
      /image gc: removed \d+ images, .* by their sizes, (.*) on disk/.exec(node.place.output) ?? [];
    const freed = ((await node.available()) - before.available) / 1024 ** 2;
    expect(Math.abs(Number.parseFloat(reported) - freed)).toBeLessThan(5);

    const kept = new Map((await node.images()).map((row) => [row.image, row]));
    expect(kept.get("registry.k8s.io/pause:3.6")?.users).toContain("the sandboxes of pods");
    expect(kept.get(blob(2))?.users).toBe("container default/dead-node/main");
    const { stdout } = await node.place.hooklet("explain", "image", blob(2));
    expect(stdout).toContain("stays: by container default/dead-node/main");
    await node.place.stop();
  }, 300_000);

  test("a plan lists what would be removed and frees nothing, also on a runtime that does not know the gate for runtime handlers", async () => {
    await node.startAgent({}, { featureGates: { RuntimeClassInImageCriApi: true } });
    const before = (await node.images()).length;
    const { stdout, code } = await node.place.hooklet("plan", "imagegc", "--until", "10");
    expect(code).toBe(0);
    expect(stdout).toMatch(/would remove \d+ images/);
    expect(stdout).toMatch(/image\/example\.test\/blob\d\d:1 +would be removed +(never used|unused for)/);
    expect(stdout).toMatch(/image\/registry\.k8s\.io\/pause:3\.6 +in use/);
    expect((await node.images()).length).toBe(before);
    await node.place.stop();
  }, 180_000);
});
