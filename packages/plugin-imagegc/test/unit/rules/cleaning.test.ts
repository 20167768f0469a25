import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type PodSource, RuntimeError, type SourceSink } from "@hooklet/core/host";
import { describe, expect, test } from "@jest/globals";
import { images, MINUTE, SECOND, startNode, type TestNode } from "../node.js";

const noAge = { imageMinimumGCAge: "0s" };
const down = new RuntimeError("unavailable", "containerd is down");

describe("dead containers", () => {
  test("of a container that crashes all but the newest go within a minute, with their logs", async () => {
    const node = await startNode();
    node.runtime.script({ pod: "crash" }, (process) => process.exit(1));
    await node.run({ name: "crash" });
    await node.agent.advance(50 * SECOND);
    expect((await node.runtime.listContainers()).length).toBeGreaterThan(2);
    await node.agent.advance(15 * SECOND);
    expect(await node.runtime.listContainers()).toHaveLength(1);
  });

  test("as many stay as the option sets", async () => {
    const node = await startNode({ options: { maximumDeadContainersPerContainer: 2 } });
    node.runtime.script({ pod: "crash" }, (process) => process.exit(1));
    await node.run({ name: "crash" });
    await node.agent.advance(65 * SECOND);
    expect(await node.runtime.listContainers()).toHaveLength(2);
  });

  test("lists that fail are an event every time", async () => {
    const node = await startNode();
    await node.agent.advance(30 * SECOND);
    node.runtime.failNext("listSandboxes", down, 2);
    await node.agent.advance(2 * MINUTE);
    expect(node.warnings().filter((text) => text.startsWith("ContainerGCFailed"))).toEqual([
      "ContainerGCFailed: containerd is down",
      "ContainerGCFailed: containerd is down",
    ]);
  });
});

describe("directories of pods that are gone", () => {
  const directory = (node: TestNode, ...names: readonly string[]): string => join(node.agent.rootDir, "pods", ...names);

  test("go with their emptyDirs within a minute; those of pods that are there stay", async () => {
    const node = await startNode();
    await node.run({ name: "web", spec: { volumes: [{ name: "scratch", emptyDir: {} }] } });
    const { uid } = node.agent.pod("web").metadata;
    await mkdir(directory(node, "gone/volumes/kubernetes.io~empty-dir/scratch/data"), { recursive: true });
    await node.agent.advance(MINUTE);
    expect(await readdir(directory(node))).toEqual([uid]);
    expect(await node.metric("kubelet_orphan_pod_cleaned_volumes")).toEqual(["kubelet_orphan_pod_cleaned_volumes 1"]);
    await node.agent.advance(MINUTE);
    expect(await node.metric("kubelet_orphan_pod_cleaned_volumes")).toEqual(["kubelet_orphan_pod_cleaned_volumes 0"]);
  });

  test("stay with data in them, which is an error and counted", async () => {
    const node = await startNode();
    await mkdir(directory(node, "gone/volumes/kubernetes.io~csi/disk/data"), { recursive: true });
    await node.agent.advance(2 * MINUTE);
    expect(existsSync(directory(node, "gone/volumes/kubernetes.io~csi/disk/data"))).toBe(true);
    expect(node.agent.problems()).toEqual([
      expect.stringContaining('orphaned pod "gone" found, but failed to rmdir() volume at path'),
    ]);
    const errors = "kubelet_orphan_pod_cleaned_volumes_errors";
    expect(await node.metric(errors)).toEqual([`${errors} 1`]);
  });
});

describe("while a source of pods is silent", () => {
  class SilentSource implements PodSource {
    readonly name = "late";
    speak: () => void = () => {};

    async start(sink: SourceSink): Promise<void> {
      this.speak = () => sink.desired([]);
    }

    async stop(): Promise<void> {}
  }

  test("no image goes, and no container because its pod is unknown; afterwards both do", async () => {
    const source = new SilentSource();
    const node = await startNode({ options: noAge, images: images("a"), available: 0, sources: [source] });
    const logs = join(node.agent.rootDir, "logs", "default_gone_0123");
    const directory = join(node.agent.rootDir, "pods/0123");
    for (const folder of [logs, directory]) await mkdir(folder, { recursive: true });
    await node.agent.advance(6 * MINUTE);
    expect(await node.images()).toEqual(["a:1"]);
    expect([logs, directory].map((folder) => existsSync(folder))).toEqual([true, true]);
    source.speak();
    await node.agent.advance(5 * MINUTE);
    expect(await node.images()).toEqual([]);
    expect([logs, directory].map((folder) => existsSync(folder))).toEqual([false, false]);
  });
});
