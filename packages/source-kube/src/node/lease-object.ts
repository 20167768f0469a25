/** The Lease of a node. Pure. */
import type { Lease } from "kubernetes-types/coordination/v1.js";

export interface LeaseFacts {
  readonly nodeName: string;
  /** Of this agent and its root folder: the same after a restart. */
  readonly agentId: string;
  readonly nodeLeaseDurationSeconds: number;
  /** Of the Node; undefined as long as it is not known. */
  readonly nodeUid: () => string | undefined;
}

/** Names the agent that renews a lease; kubelets leave it as it is. */
const AGENT = "hooklet.dev/agent";
/** Names an agent that waits for a lease, and when it last tried whether it can be written. */
const WAITING = "hooklet.dev/waiting";

/** The agent that renews it; undefined: none that says so. */
export function agentOf({ metadata }: Lease): string | undefined {
  return metadata?.annotations?.[AGENT];
}

/** `never`: it was not renewed. */
export function renewTimeOf(lease: Lease | undefined): string {
  return lease?.spec?.renewTime ?? "never";
}

/** `now`: milliseconds since 1970. */
export function freshLease(facts: LeaseFacts, now: number): Lease {
  const metadata = { name: facts.nodeName, namespace: "kube-node-lease" };
  return renewedLease(facts, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata }, now);
}

export function renewedLease(facts: LeaseFacts, lease: Lease, now: number): Lease {
  const { nodeName, agentId, nodeUid, nodeLeaseDurationSeconds } = facts;
  const uid = nodeUid();
  const owners = lease.metadata?.ownerReferences ?? [];
  const owner = { apiVersion: "v1", kind: "Node", name: nodeName, uid: uid ?? "" };
  return {
    ...lease,
    metadata: {
      ...lease.metadata,
      annotations: { ...lease.metadata?.annotations, [AGENT]: agentId },
      ...(owners.length === 0 && uid !== undefined && { ownerReferences: [owner] }),
    },
    spec: {
      ...lease.spec,
      holderIdentity: nodeName,
      leaseDurationSeconds: nodeLeaseDurationSeconds,
      renewTime: microTime(now),
    },
  };
}

/** The lease with a mark, and the same holder: a write that checks permission. */
export function markedLease({ agentId }: LeaseFacts, lease: Lease, now: number): Lease {
  const annotations = { ...lease.metadata?.annotations, [WAITING]: `${agentId} ${microTime(now)}` };
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

/** metav1.MicroTime. */
export function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/Z$/, "000Z");
}
