/** Commands that a next step names, for this pod. Pure. */
import type { Pod } from "@hooklet/manifest";

const SOURCE = "kubernetes.io/config.source";

/** Its manifest is a file or a page: neither applied nor of an API server. */
export function isStatic({ metadata }: Pod): boolean {
  return ["file", "http"].includes(metadata.annotations?.[SOURCE] ?? "");
}

/** `web`, `dns -n kube-system`. */
function named({ metadata }: Pod): string {
  return metadata.namespace === "default" ? metadata.name : `${metadata.name} -n ${metadata.namespace}`;
}

export function deleteCommand(pod: Pod): string {
  return `hooklet delete pod ${named(pod)}`;
}

export function waitCommand(pod: Pod): string {
  return `hooklet wait --for condition=Ready pod/${named(pod)}`;
}

/** The log of the container's last run. */
export function logsCommand(pod: Pod, container: string, previous: boolean): string {
  const only = pod.spec.containers.length === 1 && pod.spec.containers[0]?.name === container;
  return `hooklet logs ${named(pod)}${only ? "" : ` -c ${container}`}${previous ? " -p" : ""}`;
}

/** How a change of the manifest reaches the node. */
export function changed(pod: Pod): string {
  return isStatic(pod) ? "in its manifest file" : "in its manifest and apply it again";
}

/** A pod that has failed stays as it is: the next one starts from the beginning. */
export function startAnew(pod: Pod): string {
  return isStatic(pod)
    ? "then change its manifest file, which restarts it"
    : `then ${deleteCommand(pod)} and apply it again`;
}
