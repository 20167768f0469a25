/**
 * A pod as readers are shown it. A standalone kubelet leaves out the node's address and when a static pod came to be, which the
 * API server's mirror of it has: people look for both, and here there is nobody else to tell. Pure.
 */
import { ConfigAnnotations, type Pod } from "@hooklet/manifest";

const shown = new WeakMap<Pod, Pod>();

/** The same object gives the same object. */
export function shownPod(pod: Pod, nodeIp: string): Pod {
  const known = shown.get(pod);
  if (known !== undefined) return known;
  const { metadata, status } = pod;
  const seen = metadata.annotations?.[ConfigAnnotations.seen]?.replace(/\.\d+Z$/, "Z");
  const created = metadata.creationTimestamp ?? seen;
  const result: Pod = {
    ...pod,
    metadata: { ...metadata, ...(created !== undefined && { creationTimestamp: created }) },
    ...(status?.containerStatuses !== undefined && {
      status: { ...status, hostIP: status.hostIP ?? nodeIp, hostIPs: status.hostIPs ?? [{ ip: nodeIp }] },
    }),
  };
  shown.set(pod, result);
  return result;
}
