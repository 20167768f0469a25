import type { Pod } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";

/**
 * Events about one object: `pod/NAME` or `node/NAME`, in a namespace (none: any). A pod may be named without its node's
 * suffix where none of `pods` has that very name.
 * @throws NodeAgentError INVALID when `wanted` is not KIND/NAME
 */
export function eventFilter(
  wanted: string | undefined,
  namespace: string | undefined,
  { nodeName, pods }: { readonly nodeName: string; readonly pods: readonly Pick<Pod, "metadata">[] },
): (event: Event) => boolean {
  if (wanted === undefined)
    return ({ involvedObject }) => namespace === undefined || involvedObject.namespace === namespace;
  const [kind, name, ...rest] = wanted.split("/");
  if (kind === undefined || name === undefined || name === "" || rest.length > 0) {
    throw invalid("for", "KIND/NAME, for example pod/web", wanted);
  }
  const singular = kind.toLowerCase().replace(/s$/, "");
  const isIn = (other: string | undefined): boolean =>
    namespace === undefined || other === undefined || other === namespace;
  const isThere = pods.some(({ metadata }) => metadata.name === name && isIn(metadata.namespace));
  const names = isThere ? [name] : [name, `${name}-${nodeName}`];
  return ({ involvedObject }) =>
    involvedObject.kind?.toLowerCase() === singular &&
    isIn(involvedObject.namespace) &&
    names.includes(involvedObject.name ?? "");
}
