/** Calls of the runtime that several callers share. */

import type { Clock } from "@hooklet/utils";
import { byPodUid, type PodObjects } from "./pod-objects.js";
import type { Image, Runtime } from "./port.js";

// Lists of one pod's containers and sandboxes, cut from lists of everything. A caller that comes while a list is under way shares the next one: many
// pods that end together cost a few lists and not some per pod.

type Lister = Pick<Runtime, "listContainers" | "listSandboxes">;
type ByUid = ReadonlyMap<string, PodObjects>;

export class SharedLists {
  #running: Promise<unknown> | undefined;
  #next: Promise<ByUid> | undefined;

  constructor(private readonly runtime: Lister) {}

  /** What the runtime has of a pod; begun after the call. */
  async of(podUid: string): Promise<PodObjects> {
    this.#next ??= this.#after(this.#running);
    return (await this.#next).get(podUid) ?? { sandboxes: [], containers: [] };
  }

  async #after(running: Promise<unknown> | undefined): Promise<ByUid> {
    // All that ask in the same turn share it, too.
    await (running ?? Promise.resolve());
    const list = this.#list();
    const over = list.catch(() => undefined);
    this.#running = over;
    this.#next = undefined;
    try {
      return await list;
    } finally {
      if (this.#running === over) this.#running = undefined;
    }
  }

  async #list(): Promise<ByUid> {
    const [sandboxes, containers] = await Promise.all([this.runtime.listSandboxes(), this.runtime.listContainers()]);
    return byPodUid(sandboxes, containers);
  }
}

// Caches the status of an existing image for a moment: many pods that start together ask for the same one.

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
