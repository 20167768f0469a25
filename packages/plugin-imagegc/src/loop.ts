/** The rhythm of the loops and what people hear of their failures (StartGarbageCollection of the kubelet). */

/** Seconds between two rounds of container garbage collection. */
export const CONTAINER_GC_PERIOD = 60;
/** Seconds between two rounds of image garbage collection; each looks at all images. */
export const IMAGE_GC_PERIOD = 300;
/** Seconds that the list of images for the node's status is kept. */
export const IMAGE_LIST_PERIOD = 30;

/** `detection` is the look at the images alone, where nothing is ever removed; `directories` the sweep of those of pods that are gone. */
export type Loop = "containers" | "images" | "detection" | "directories";

/** The event of a failed round; undefined: it is only logged. `before`: how many rounds failed in a row just before this one. */
export function failureEvent(loop: Loop, before: number): "ContainerGCFailed" | "ImageGCFailed" | undefined {
  if (loop === "containers") return "ContainerGCFailed";
  return loop === "images" && before > 0 ? "ImageGCFailed" : undefined;
}

/** The list of images as the node's status has it: the largest first. */
export function nodeImages<Image extends { readonly size: number; readonly id: string }>(
  images: readonly Image[],
): readonly Image[] {
  return [...images].sort((a, b) => b.size - a.size || (a.id > b.id ? -1 : 1));
}
