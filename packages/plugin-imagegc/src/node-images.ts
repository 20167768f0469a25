/** The node for image garbage collection, with the uses of each image. */
import {
  type Image,
  isRuntimeError,
  Labels,
  type NodeContext,
  namespacedName,
  type Pod,
  type RuntimeContainer,
  runnableContainers,
} from "@hooklet/core";
import { canonicalName } from "@hooklet/core/rules";
import type { ImagePorts } from "./image-collector.js";
import { usageFault } from "./images/image-policy.js";
import { type ImageUse, imageKey, imageName } from "./images/image-records.js";
import { type ImagesByName, imagesByName, seenImages, usesByContainer, usesOf } from "./images/listed.js";
import type { SteadyTime } from "./saved-usage.js";

type Parts = Pick<NodeContext, "runtime" | "pods" | "log"> &
  Pick<ImagePorts, "removed" | "orderFault"> & { readonly time: SteadyTime };

export function nodeImages({ runtime, pods, log, time, removed, orderFault }: Parts): ImagePorts {
  return {
    now: () => time.now(),
    images: async () => seenImages(await runtime.listImages()),
    uses: (images) => imageUses({ runtime, pods }, imagesByName(images)),
    async usage() {
      const { image } = await runtime.fileSystems();
      const { capacityBytes, availableBytes } = image;
      const usage = { capacityBytes, availableBytes };
      const fault = usageFault(usage);
      if (fault !== undefined) throw new Error(fault);
      return usage;
    },
    async remove(image) {
      try {
        await runtime.removeImage(image.id, image.handler);
        log.info({ image: image.id, size: image.size }, `image gc: removed ${imageName(image)} (${image.size} bytes)`);
        return true;
      } catch (error) {
        if (!isRuntimeError(error, "failed-precondition")) throw error;
        log.info({ image: image.id }, `image gc: ${imageName(image)} is used after all and stays`);
        return false;
      }
    },
    removed,
    orderFault,
  };
}

/** `byName`: the images, listed just before. */
export async function imageUses(
  parts: Pick<NodeContext, "runtime" | "pods">,
  byName: ImagesByName,
): Promise<readonly ImageUse[]> {
  const { runtime, pods } = parts;
  // First what is held, then the containers: what is made in between is in one of them.
  const held = runtime.heldImages();
  const containers = await runtime.listContainers();
  const uses = containers.flatMap((container) => {
    const { imageId = container.imageRef, imageRuntimeHandler } = container;
    return usesByContainer(byName, imageId, containerText(container), imageRuntimeHandler);
  });
  uses.push(...(await volumeUses(parts, byName, containers)));
  const { sandboxImage } = await runtime.facts();
  for (const name of held) await add(name, "a container that is being started");
  if (sandboxImage !== undefined) await add(sandboxImage, "the sandboxes of pods");
  const inUse = new Set(uses.map(keyOf));
  for (const pod of pods.list().filter(mayStart)) {
    for (const name of imagesOf(pod)) {
      const listed = listedAs(byName, name);
      // Pods whose containers exist already are named with them.
      const of = listed === undefined ? [] : usesOf(byName, listed, podText(pod));
      uses.push(...of.filter((use) => !inUse.has(keyOf(use))));
    }
  }
  return uses;

  async function add(name: string, by: string): Promise<void> {
    const image = listedAs(byName, name) ?? (await statusOf(runtime, name))?.id;
    if (image !== undefined) uses.push(...usesOf(byName, image, by));
  }
}

/** Images that are mounted as volumes, by containers of others, an earlier kubelet for one: no pod of this agent has such volumes. */
async function volumeUses(
  { runtime, pods }: Pick<NodeContext, "runtime" | "pods">,
  byName: ImagesByName,
  containers: readonly RuntimeContainer[],
): Promise<readonly ImageUse[]> {
  const own = new Set(pods.list().map(({ metadata }) => metadata.uid));
  const uses: ImageUse[] = [];
  for (const container of containers.filter(({ labels }) => !own.has(labels[Labels.podUid] ?? ""))) {
    for (const image of await volumesOf(runtime, container.id)) {
      uses.push(...usesOf(byName, image, containerText(container)));
    }
  }
  return uses;
}

/** Of one that is gone by now: none. */
async function volumesOf(runtime: Parts["runtime"], id: string): Promise<readonly string[]> {
  try {
    return (await runtime.containerStatus(id)).imageVolumes ?? [];
  } catch (error) {
    if (isRuntimeError(error, "not-found")) return [];
    throw error;
  }
}

/** A name that the runtime does not understand holds nothing. */
async function statusOf(runtime: Parts["runtime"], name: string): Promise<Image | undefined> {
  try {
    return await runtime.imageStatus(name);
  } catch (error) {
    if (isRuntimeError(error, "invalid-image-name")) return undefined;
    throw error;
  }
}

function listedAs(byName: ImagesByName, name: string): string | undefined {
  return [name, runtimeName(name)].find((one) => byName.has(one));
}

function keyOf({ imageId, handler }: ImageUse): string {
  return imageKey(imageId, handler);
}

function containerText({ labels, metadata }: RuntimeContainer): string {
  const parts = [labels[Labels.podNamespace], labels[Labels.podName], metadata.name].filter(
    (part) => part !== undefined,
  );
  return `container ${parts.join("/")}`;
}

/** The images of all containers of a pod, whether or not they have run. */
function imagesOf(pod: Pod): ReadonlySet<string> {
  return new Set(
    runnableContainers(pod)
      .map(({ image }) => image)
      .filter((name) => name !== undefined),
  );
}

/** Also one that is not admitted yet. */
function mayStart({ status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

function podText({ metadata }: Pod): string {
  return `pod ${namespacedName(metadata)}`;
}

/** The name of a manifest as the runtime writes it; one that is none stays as it is. */
export function runtimeName(name: string): string {
  try {
    return canonicalName(name);
  } catch (error) {
    if (isRuntimeError(error, "invalid-image-name")) return name;
    throw error;
  }
}
