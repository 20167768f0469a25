/** What a cause is read from. Pure. */

import type { Decision } from "@hooklet/core";
import type { Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";

/** Both are one sentence. */
export interface Cause {
  readonly cause: string;
  /** The step that mends it. */
  readonly next: string;
}

export interface CauseFacts {
  readonly pod: Pod;
  /** Of the pod, oldest first. */
  readonly events: readonly Event[];
  readonly decisions: readonly Decision[];
  /** All pods of the node: one of them may hold what this one lacks. */
  readonly pods: readonly Pod[];
  /** The last lines that containers in trouble wrote, by name. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** What is not ready of the node; undefined: it is. */
  readonly unready?: string | undefined;
}

/** The message of the newest warning with one of these reasons. */
export function newestWarning(
  { events }: Pick<CauseFacts, "events">,
  reasons: readonly string[],
  starts = "",
): string | undefined {
  const isMeant = ({ type, reason, message }: Event): boolean =>
    type === "Warning" && reasons.includes(reason ?? "") && (message ?? "").startsWith(starts);
  return events.findLast(isMeant)?.message?.trim();
}

/** Ends with one full stop. */
export function sentence(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

// Commands that a next step names, for this pod.

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

// A ConfigMap, Secret or key that a pod needs and that is not there.

const OBJECT = /\b(configmap|secret) "([^"]+)" not found/i;
const KEY = /couldn't find key (\S+) in (ConfigMap|Secret) (\S+?)[.,;]?(?:\s|$)/i;
const REFERENCED_KEY = /references non-existent (?:config|secret) key: (\S+)/;
const KINDS: Readonly<Record<string, string>> = { configmap: "ConfigMap", secret: "Secret" };

/** Undefined: the message is about something else. */
export function missingObject(message: string, pod: Pod): Cause | undefined {
  const object = OBJECT.exec(message);
  if (object !== null) {
    const kind = KINDS[(object[1] ?? "").toLowerCase()];
    return {
      cause: `${kind} ${object[2]} is missing, and the pod needs it.`,
      next: `Apply a ${kind} of this name in namespace ${pod.metadata.namespace}, or mark it as optional; the pod then starts by itself.`,
    };
  }
  const key = KEY.exec(message);
  if (key !== null) {
    const [, name, kind, full] = key;
    return {
      cause: `${kind} ${full} has no key ${name}, and the pod needs it.`,
      next: `Add the key to the ${kind}, or name another key ${changed(pod)}.`,
    };
  }
  const referenced = REFERENCED_KEY.exec(message)?.[1];
  return referenced === undefined
    ? undefined
    : {
        cause: `A volume of the pod names the key ${referenced}, which its ConfigMap or Secret does not have.`,
        next: `Add the key, or name another one ${changed(pod)}.`,
      };
}
