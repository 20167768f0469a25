import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { ImageManager } from "../../../src/images/ensure-image.js";
import type { Image } from "../../../src/runtime/port.js";
import { aPod } from "../../pod/pods.js";

const image: Image = { id: "sha256:1", repoTags: [], repoDigests: [], size: 1, pinned: false };

test.each([
  { name: "an image that a registry gave is pulled", present: image, canPull: true, pulls: 1 },
  { name: "an image that no registry gave is used", present: { ...image, imported: true }, canPull: true, pulls: 0 },
  { name: "where nothing can be pulled the image is used", present: image, canPull: false, pulls: 0 },
])("policy Always: $name", async ({ present, canPull, pulls }) => {
  const pulled: string[] = [];
  const pod = aPod();
  const manager = new ImageManager({
    clock: new VirtualClock(),
    runtime: {
      canPull,
      imageStatus: async () => present,
      pullImage: async (name) => {
        pulled.push(name);
        return present.id;
      },
    },
    events: { pod: () => undefined, node: () => undefined } as never,
    report: () => undefined,
    maxParallelPulls: 1,
  });
  const container = { ...pod.spec.containers[0], name: "main", image: "web", imagePullPolicy: "Always" as const };
  expect(await manager.ensure(pod, container as never, "", new AbortController().signal)).toEqual(present);
  expect(pulled).toHaveLength(pulls);
});
