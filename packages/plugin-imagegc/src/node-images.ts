/** The node as image garbage collection asks it. */
import {
  type Image,
  isRuntimeError,
  Labels,
  type NodeContext,
  namespacedName,
  type Pod,
  type RuntimeContainer,
} from "@hooklet/core";
import { canonicalName } from "@hooklet/core/rules";
import type { ImagePorts } from "./images/collector.js";
import type { ImageUse } from "./images/detect.js";
import { type ImagesByName, imagesByName, seenImages, usesByContainer, usesOf } from "./images/listed.js";
import { imageKey, imageName } from "./images/record.js";
import { usageFault } from "./images/usage.js";
import type { SteadyTime } from "./steady-time.js";

type Parts = Pick<NodeContext, "runtime" | "pods" | "log"> &
  Pick<ImagePorts, "removed" | "orderFault"> & { readonly time: SteadyTime };

export function nodeImages({ runtime, pods, log, time, removed, orderFault }: Parts): ImagePorts {
  /** Of the last list. */
  let byName: ImagesByName = new Map();
  const listedAs = (name: string): string | undefined => [name, runtimeName(name)].find((one) => byName.has(one));
  return {
    now: () => time.now(),
    async images() {
      const images = seenImages(await runtime.listImages());
      byName = imagesByName(images);
      return images;
    },
    async uses() {
      // First what is held, then the containers: what is made in between is in one of them.
      const held = runtime.heldImages();
      const uses = (await runtime.listContainers()).flatMap((container) =>
        usesByContainer(
          byName,
          container.imageId ?? container.imageRef,
          containerText(container),
          container.imageRuntimeHandler,
        ),
      );
      const { sandboxImage } = await runtime.facts();
      for (const name of held) await add(name, "a container that is being started");
      if (sandboxImage !== undefined) await add(sandboxImage, "the sandboxes of pods");
      const inUse = new Set(uses.map(keyOf));
      for (const pod of pods.list().filter(mayStart)) {
        for (const name of imagesOf(pod)) {
          const listed = listedAs(name);
          // Whose containers are there already is named with them.
          const of = listed === undefined ? [] : usesOf(byName, listed, podText(pod));
          uses.push(...of.filter((use) => !inUse.has(keyOf(use))));
        }
      }
      return uses;

      async function add(name: string, by: string): Promise<void> {
        const image = listedAs(name) ?? (await statusOf(name))?.id;
        if (image !== undefined) uses.push(...usesOf(byName, image, by));
      }
    },
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

  /** A name that the runtime does not understand holds nothing. */
  async function statusOf(name: string): Promise<Image | undefined> {
    try {
      return await runtime.imageStatus(name);
    } catch (error) {
      if (isRuntimeError(error, "invalid-image-name")) return undefined;
      throw error;
    }
  }
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
function imagesOf({ spec }: Pod): ReadonlySet<string> {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  return new Set(containers.map(({ image }) => image).filter((name) => name !== undefined));
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
