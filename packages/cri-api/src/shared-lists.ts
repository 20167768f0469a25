/**
 * Lists of one pod's containers and sandboxes, cut from lists of everything. A caller that comes while a list is under way shares the next one: many
 * pods that end together cost a few lists and not some per pod.
 */
import { byPodUid, type PodObjects } from "./pod-objects.js";
import type { Runtime } from "./port.js";

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
