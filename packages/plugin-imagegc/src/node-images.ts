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
import type { ImageUse, SeenImage } from "./images/detect.js";
import { imageName } from "./images/record.js";
import type { SteadyTime } from "./steady-time.js";

type Parts = Pick<NodeContext, "runtime" | "pods" | "log"> &
  Pick<ImagePorts, "removed" | "orderFault"> & { readonly time: SteadyTime };

export function nodeImages({ runtime, pods, log, time, removed, orderFault }: Parts): ImagePorts {
  /** Ids by the names of the last list. */
  let idsByName: ReadonlyMap<string, string> = new Map();
  const idOf = async (name: string): Promise<string | undefined> =>
    idsByName.get(name) ?? idsByName.get(runtimeName(name)) ?? (await runtime.imageStatus(name))?.id;
  return {
    now: () => time.now(),
    async images() {
      const images = (await runtime.listImages()).map(seen);
      idsByName = new Map(images.flatMap(({ id, names }) => [id, ...names].map((name) => [name, id] as const)));
      return images;
    },
    async uses() {
      // First what is held, then the containers: what is made in between is in one of them.
      const held = runtime.heldImages();
      const uses = (await runtime.listContainers()).map(
        (container): ImageUse => ({ imageId: container.imageRef, by: containerText(container) }),
      );
      const { sandboxImage } = await runtime.facts();
      for (const name of held) await add(name, "a container that is being started");
      if (sandboxImage !== undefined) await add(sandboxImage, "the sandboxes of pods");
      const inUse = new Set(uses.map(({ imageId }) => imageId));
      for (const pod of pods.list().filter(mayStart)) {
        for (const name of imagesOf(pod)) {
          const imageId = idsByName.get(name) ?? idsByName.get(runtimeName(name));
          // Whose containers are there already is named with them.
          if (imageId !== undefined && !inUse.has(imageId)) uses.push({ imageId, by: podText(pod) });
        }
      }
      return uses;

      async function add(name: string, by: string): Promise<void> {
        const imageId = await idOf(name);
        if (imageId !== undefined) uses.push({ imageId, by });
      }
    },
    async usage() {
      const { image } = await runtime.fileSystems();
      const { capacityBytes, availableBytes } = image;
      return { capacityBytes, availableBytes };
    },
    async remove(image) {
      try {
        await runtime.removeImage(image.id);
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

export function seen(image: Image): SeenImage {
  const { id, size, pinned } = image;
  return { id, size, pinned, names: names(image) };
}

function names({ repoTags, repoDigests }: Image): readonly string[] {
  return [...repoTags, ...repoDigests];
}

function containerText({ labels, metadata }: RuntimeContainer): string {
  const parts = [labels[Labels.podNamespace], labels[Labels.podName], metadata.name].filter((part) => part !== undefined);
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
