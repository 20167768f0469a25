/** What the agent reports about its node, its pods and itself. */

import type { Runtime, RuntimeInfo } from "@hooklet/cri-api";
import { type Host, systemFacts } from "@hooklet/linux";
import { ConfigAnnotations, type Pod, podRequests } from "@hooklet/manifest";
import { type Node, readPlatform } from "../node/node.js";
import type { NodePorts } from "../node/ports.js";
import type { Decision } from "../plugin/contract/records.js";
import type { PodManager } from "../pod/life/pod-manager.js";
import type { PodState } from "../pod/state.js";
import { type Moment, situation } from "../pod/status/situation.js";
import type { NodeReport } from "./api.js";

export interface NodeReportParts {
  readonly version: string;
  readonly node: Node;
  readonly nodePorts: Pick<NodePorts, "conditions">;
  readonly manager: Pick<PodManager, "active">;
  readonly machine: Pick<Host, "kernel" | "textFile">;
  readonly runtime: Pick<Runtime, "portForward" | "importImage">;
  readonly info: RuntimeInfo;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly createdAt: number;
}

export function nodeReport(parts: NodeReportParts): NodeReport {
  const { node, nodePorts, manager, machine, runtime, info, version, startedAt, createdAt } = parts;
  const requested: Record<string, number> = { pods: 0 };
  for (const pod of manager.active()) {
    requested.pods = (requested.pods ?? 0) + 1;
    for (const [name, amount] of Object.entries(podRequests(pod))) requested[name] = (requested[name] ?? 0) + amount;
  }
  return {
    name: node.name,
    ip: node.ip,
    labels: node.labels,
    taints: node.facts().taints,
    conditions: nodePorts.conditions.list(),
    agentVersion: version,
    capacity: node.capacity(),
    allocatable: node.allocatable(),
    requested,
    runtime: info,
    system: systemFacts(machine, readPlatform()),
    can: { portForward: runtime.portForward !== undefined, importImage: runtime.importImage !== undefined },
    rootDir: node.rootDir,
    startedAt,
    createdAt,
  };
}

// A pod as clients see it. A standalone kubelet leaves out the host IP and the start time of a static pod, which the API server's mirror pod has;
// clients expect both, and here is no API server to add them. As with a mirror pod, the age survives restarts of the agent.

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

/** Each agent reads its sources again; a pod that is taken over keeps the time of the first agent in its status. */
function firstSeen({ metadata, status }: Pod): string | undefined {
  const seen = metadata.annotations?.[ConfigAnnotations.seen]?.replace(/\.\d+Z$/, "Z");
  const started = status?.startTime;
  if (seen === undefined || typeof started !== "string") return seen;
  return Date.parse(started) < Date.parse(seen) ? started : seen;
}

// Data of `hooklet explain`: the decisions about a subject, and the current state of a pod.

/** Who tells, in place of a plugin and its strategy, where a pod stands now: readers go by it. */
const STANDING = { plugin: "core", strategy: "now" } as const;

/** Whether a decision is about a subject that is no pod: `explain image web:1` finds `image/docker.io/library/web:1` as well. */
export function isAbout(subject: string, kind: string, name: string): boolean {
  const [subjectKind, ...rest] = subject.split("/");
  const whole = rest.join("/");
  return subjectKind === kind && (whole === name || whole.endsWith(`/${name}`));
}

/** The namespace and name of the pod that a decision is about, or a container of it. */
export function podOf(subject: string): string | undefined {
  const [kind, namespace, name] = subject.split("/");
  return kind === "pod" || kind === "container" ? `${namespace}/${name}` : undefined;
}

/** Where a pod stands now, as core tells it. */
export function standing(state: PodState, moment: Moment): readonly Decision[] {
  return situation(state, moment).map(({ subject, outcome }) => ({
    at: moment.wall,
    ...STANDING,
    subject,
    considered: [],
    outcome,
  }));
}
