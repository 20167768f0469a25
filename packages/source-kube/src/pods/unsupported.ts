/** What pods of a cluster may ask for and this node cannot do: it is refused by name, never left out. Pure. */
import type { Pod } from "@hooklet/core";

/** The message of the event FailedCreatePodSandBox; undefined: supported. Unknown kinds of volumes are reported when they are mounted. */
export function unsupported({ spec }: Pod): string | undefined {
  // The installed Kubernetes types are older than some of these fields.
  const { hostUsers, resourceClaims = [] } = spec as Pod["spec"] & { readonly resourceClaims?: readonly unknown[] };
  if (hostUsers === false) return "can't set `spec.hostUsers: false`, this node does not support user namespaces";
  if (resourceClaims.length > 0)
    return "can't use `spec.resourceClaims`, this node does not support dynamic resource allocation";
  const block = [...(spec.initContainers ?? []), ...spec.containers].find(
    ({ volumeDevices = [] }) => volumeDevices.length > 0,
  );
  if (block !== undefined)
    return `container ${block.name} can't use \`volumeDevices\`, this node does not support block volumes`;
  return undefined;
}
