/**
 * A pod as readers are shown it. A standalone kubelet leaves out the node's address and when a static pod came to be, which the
 * API server's mirror of it has: people look for both, and here there is nobody else to tell. As of a mirror pod, its age goes on over
 * restarts of the agent. Pure.
 */
import { ConfigAnnotations, type Pod } from "@hooklet/manifest";

const shown = new WeakMap<Pod, Pod>();

/** The same object gives the same object. */
export function reportedPod(pod: Pod, nodeIp: string): Pod {
  const known = shown.get(pod);
  if (known !== undefined) return known;
  const { metadata, status } = pod;
  const created = metadata.creationTimestamp ?? firstSeen(pod);
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

/** Its source is read anew by each agent; a pod that was taken over has the time of the first one in its status. */
function firstSeen({ metadata, status }: Pod): string | undefined {
  const seen = metadata.annotations?.[ConfigAnnotations.seen]?.replace(/\.\d+Z$/, "Z");
  const started = status?.startTime;
  if (seen === undefined || typeof started !== "string") return seen;
  return Date.parse(started) < Date.parse(seen) ? started : seen;
}
