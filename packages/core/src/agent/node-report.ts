/** What the agent reports about its node and itself. */

import type { Host } from "@hooklet/linux";
import { podRequests } from "@hooklet/manifest";
import { readPlatform } from "../node/machine.js";
import type { Node } from "../node/node.js";
import type { NodePorts } from "../node/ports.js";
import { systemFacts } from "../node/system.js";
import type { PodManager } from "../pod/life/manager.js";
import type { Runtime, RuntimeInfo } from "../runtime/port.js";
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
