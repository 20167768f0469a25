/** The cgroups of running containers, each looked for once: a container stays where it is. */
import { containerFolder } from "../host/container-folder.js";
import type { OpenCgroups } from "../service.js";
import type { MeasuredPod } from "./summary.js";

export class ContainerNames {
  /** With the systemd driver, by the container's id. */
  readonly #found = new Map<string, string>();

  /** The last component of a container's cgroup; undefined while it has none. */
  of({ files, layout, manager }: OpenCgroups, id: string, podPath: string): string | undefined {
    const { driver } = manager.rules;
    if (driver === "cgroupfs") return id;
    const name = this.#found.get(id) ?? containerFolder(files, layout, driver, { podPath, id });
    if (name !== undefined) this.#found.set(id, name);
    return name;
  }

  /** Forgets all other containers. */
  keep(pods: readonly MeasuredPod[]): void {
    if (this.#found.size === 0) return;
    const here = new Set(pods.flatMap(({ containers }) => containers.map(({ id }) => id)));
    for (const id of this.#found.keys()) if (!here.has(id)) this.#found.delete(id);
  }
}
