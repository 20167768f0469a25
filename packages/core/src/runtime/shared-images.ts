/** Caches the status of an existing image for a moment: many pods that start together ask for the same one. */
import type { Clock } from "@hooklet/utils";
import type { Image, Runtime } from "./port.js";

/** Milliseconds. */
const HOLDS = 1_000;

/** The runtime, with at most one status call per image and second; a pull or a removal clears the cache. */
export function withSharedImages(runtime: Runtime, clock: Clock): Runtime {
  const asked = new Map<string, { readonly at: number; readonly status: Promise<Image | undefined> }>();
  const status: Runtime["imageStatus"] = async (image, handler) => {
    const now = clock.monotonic();
    for (const [key, { at }] of asked) if (now - at >= HOLDS) asked.delete(key);
    const key = JSON.stringify([image, handler]);
    const one = asked.get(key) ?? { at: now, status: runtime.imageStatus(image, handler) };
    asked.set(key, one);
    const found = await one.status.catch(() => undefined);
    if (found === undefined && asked.get(key) === one) asked.delete(key);
    return one.status;
  };
  return new Proxy(runtime, {
    get(target, key) {
      if (key === "imageStatus") return status;
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      if (key !== "pullImage" && key !== "removeImage") return member.bind(target);
      return async (...args: readonly unknown[]) => {
        try {
          return (await Reflect.apply(member, target, args)) as unknown;
        } finally {
          asked.clear();
        }
      };
    },
  });
}
