/** Who uses which image on the node. */
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
import type { ImageUse } from "./images/detect.js";
import { type ImagesByName, usesByContainer, usesOf } from "./images/listed.js";
import { imageKey } from "./images/record.js";

type Parts = Pick<NodeContext, "runtime" | "pods">;

/** `byName`: the images, listed just before. */
export async function imageUses(parts: Parts, byName: ImagesByName): Promise<readonly ImageUse[]> {
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
      // Whose containers are there already is named with them.
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
  { runtime, pods }: Parts,
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
