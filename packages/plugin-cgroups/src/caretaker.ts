/** Looks after the cgroups of running containers, which the runtime makes: processes that were moved out of them come back. */
import type { NodeContext, Pod } from "@hooklet/core";
import { type CgroupLayout, folderOf } from "./host/hierarchies.js";
import type { CgroupFiles } from "./host/port.js";
import type { CgroupManager } from "./manager/manager.js";
import { type LookedAfter, Strays } from "./manager/strays.js";

/** The tree that is kept. */
export interface KeptTree {
  readonly manager: CgroupManager;
  readonly layout: CgroupLayout;
  readonly files: CgroupFiles;
}

export class Caretaker {
  readonly #strays: Strays;

  constructor(
    private readonly ctx: Pick<NodeContext, "pods" | "events" | "log">,
    private readonly open: KeptTree,
  ) {
    this.#strays = new Strays(open.files, open.layout);
  }

  /** Running containers of the pods whose cgroups are kept. */
  containers(): readonly (LookedAfter & { readonly pod: Pod })[] {
    return this.open.manager.pods().flatMap(({ pod, path }) =>
      [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(({ name }) => {
        const podUid = pod.metadata.uid;
        const id = this.ctx.pods.running({ podUid, container: name })?.containerId;
        const own = id === undefined ? undefined : this.#pathOf(path, id);
        return id === undefined || own === undefined ? [] : [{ id, podUid, container: name, path: own, pod }];
      }),
    );
  }

  /** A container has just started. */
  started(podUid: string, container: string, id: string): void {
    const path = this.open.manager.pathOf(podUid);
    const own = path === undefined ? undefined : this.#pathOf(path, id);
    if (own !== undefined) this.#strays.remember({ id, podUid, container, path: own });
  }

  /** Every minute. */
  look(): void {
    for (const stray of this.#strays.look(this.containers())) {
      const { podUid, container, pid, command, found, path, error } = stray;
      const pod = this.ctx.pods.get(podUid);
      const what = `process ${pid} (${command}) of container ${container} was moved to ${found}`;
      const message =
        error === undefined ? `${what}, brought back to ${path}` : `${what} and cannot be brought back: ${error}`;
      this.ctx.log.warn(message);
      if (pod !== undefined) this.ctx.events.pod(pod, "Warning", "CgroupRepaired", message, container);
    }
  }

  /** Runtimes name a container's cgroup by its id: alone, or within the name of a unit. */
  #pathOf(podPath: string, id: string): string | undefined {
    const { files, layout, manager } = this.open;
    if (manager.rules.driver === "cgroupfs") return `${podPath}/${id}`;
    const folder = folderOf(layout, "memory", podPath);
    const name = folder === undefined ? undefined : files.directories(folder).find((one) => one.includes(id));
    return name === undefined ? undefined : `${podPath}/${name}`;
  }
}
