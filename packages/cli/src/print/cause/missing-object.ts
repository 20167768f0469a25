/** A ConfigMap, Secret or key that a pod needs and that is not there. Pure. */
import type { Pod } from "@hooklet/manifest";
import { changed } from "./commands.js";
import type { Cause } from "./facts.js";

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
