/** Whose process a cgroup's was. Pure. */
import type { Pod } from "@hooklet/core";
import { containerIdOf } from "@hooklet/core/rules";

export interface Victim {
  readonly pod: Pod;
  /** Undefined: in the pod, but in none of the containers that are known (its sandbox). */
  readonly container: { readonly name: string; readonly id: string } | undefined;
}

export interface KnownPod {
  readonly pod: Pod;
  /** Of the pod. */
  readonly path: string;
  /** Container's id -> name: what runs, and what ran before. */
  readonly containers: ReadonlyMap<string, string>;
}

/** Finds a pod by a cgroup at or below its own, with any prefix of the kernel. */
export function victimFinder(pods: readonly KnownPod[]): (cgroup: string) => Victim | undefined {
  const byFolder = new Map(pods.map((known) => [known.path.slice(known.path.lastIndexOf("/") + 1), known]));
  return (cgroup) => {
    const parts = cgroup.split("/");
    for (const [index, part] of parts.entries()) {
      const known = byFolder.get(part);
      if (known === undefined) continue;
      const id = containerIdOf(parts[index + 1] ?? "");
      const name = known.containers.get(id);
      return { pod: known.pod, container: name === undefined ? undefined : { name, id } };
    }
    return undefined;
  };
}

export interface EndedContainer {
  readonly name: string;
  readonly id: string;
  readonly oomKilled: boolean;
}

/** Ended containers that the pod's status still contains. */
export function endedContainers({ status }: Pod): EndedContainer[] {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.flatMap(({ name, state, lastState }) =>
    [state?.terminated, lastState?.terminated].flatMap((ended) => {
      const id = ended?.containerID?.replace(/^[^/]*:\/\//, "") ?? "";
      return id === "" ? [] : [{ name, id, oomKilled: ended?.reason === "OOMKilled" }];
    }),
  );
}
