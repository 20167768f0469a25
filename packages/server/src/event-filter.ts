import { invalid } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";

/**
 * Events about one object: `pod/NAME` or `node/NAME`, in a namespace (none: any). A pod may be named without its node's suffix.
 * @throws NodeAgentError INVALID when `wanted` is not KIND/NAME
 */
export function eventFilter(
  wanted: string | undefined,
  namespace: string | undefined,
  nodeName: string,
): (event: Event) => boolean {
  if (wanted === undefined)
    return ({ involvedObject }) => namespace === undefined || involvedObject.namespace === namespace;
  const [kind, name, ...rest] = wanted.split("/");
  if (kind === undefined || name === undefined || name === "" || rest.length > 0) {
    throw invalid("for", "KIND/NAME, for example pod/web", wanted);
  }
  const singular = kind.toLowerCase().replace(/s$/, "");
  return ({ involvedObject }) =>
    involvedObject.kind?.toLowerCase() === singular &&
    (namespace === undefined || involvedObject.namespace === undefined || involvedObject.namespace === namespace) &&
    (involvedObject.name === name || involvedObject.name === `${name}-${nodeName}`);
}
