/**
 * A pod as clients see it. A standalone kubelet leaves out the host IP and the start time of a static pod, which the API server's
 * mirror pod has; clients expect both, and here is no API server to add them. As with a mirror pod, the age survives restarts
 * of the agent. Pure.
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

/** Each agent reads its sources again; an adopted pod keeps the time of the first agent in its status. */
function firstSeen({ metadata, status }: Pod): string | undefined {
  const seen = metadata.annotations?.[ConfigAnnotations.seen]?.replace(/\.\d+Z$/, "Z");
  const started = status?.startTime;
  if (seen === undefined || typeof started !== "string") return seen;
  return Date.parse(started) < Date.parse(seen) ? started : seen;
}
