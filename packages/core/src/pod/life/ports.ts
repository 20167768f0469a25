/** What the life of a pod needs from the rest of the agent. Narrow on purpose: tests bring their own. */

import type { Pod, Resources } from "@hooklet/manifest";
import type { Logger } from "pino";
import type { AdmissionVerdict } from "../../admission/verdict.js";
import type { Clock } from "../../clock.js";
import type { NodeHooks } from "../../hooks/hooks.js";
import type { ImageManager } from "../../images/ensure-image.js";
import type { RankedSlots } from "../../lib/ranked-slots.js";
import type { PodMetrics } from "../../metrics/pod-metrics.js";
import type { EventRecorder } from "../../plugin/contract.js";
import type { ContainerStatus, Runtime } from "../../runtime/port.js";
import type { SharedLists } from "../../runtime/shared-lists.js";
import type { TerminationCause } from "../termination.js";
import type { HandlerRunner } from "./handlers.js";
import type { PodValues } from "./values.js";
import type { PodVolumes } from "./volumes.js";

/** The node as pods see it. */
export interface PodNode {
  readonly name: string;
  readonly ip: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  allocatable(): Resources;
  /** Text of the node's resolv.conf; "" when it cannot be read. */
  resolvConf(): Promise<string>;
  /** Text of the node's /etc/hosts; "" when it cannot be read. */
  hosts(): Promise<string>;
}

export interface PodLifePorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly runtime: Runtime;
  readonly lists: SharedLists;
  readonly hooks: NodeHooks;
  readonly events: EventRecorder;
  readonly metrics: PodMetrics;
  readonly images: ImageManager;
  readonly handlers: HandlerRunner;
  readonly volumes: PodVolumes;
  readonly values: PodValues;
  readonly node: PodNode;
  readonly podLogsDir: string;
  /** Keeps a cause over a restart of the agent; resolves once it is on disk. */
  remember(uid: string, cause: TerminationCause): Promise<void>;
  /** Asks the node for its verdict; one pod at a time. `running`: the containers of a pod that is taken over. */
  admit(pod: Pod, running: readonly ContainerStatus[], signal: AbortSignal): Promise<AdmissionVerdict>;
  /** How many calls that make sandboxes and containers the runtime gets at the same moment. */
  readonly startSlots: RankedSlots;
  /** A background failure that nobody waits for. */
  report(where: string, error: unknown): void;
}
