/** What the control socket, HTTP and CLI see of an agent. No plugin is named here: plugins bring their own views. */

import type { Duplex } from "node:stream";
import type { ExecOptions, Image, InteractiveExec, RuntimeInfo, StreamParts } from "@hooklet/cri-api";
import type { SystemFacts } from "@hooklet/linux";
import type { LogFile } from "@hooklet/logs";
import type { ApiObject, Pod, Resources } from "@hooklet/manifest";
import type { Json } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import type { TapReport } from "../hooks/tap-record.js";
import type { HttpRequestLabels } from "../metrics/http-metrics.js";
import type { NodeTaint } from "../plugin/contract/node.js";
import type {
  Decision,
  NodeCondition,
  NodeStatistics,
  ObjectKind,
  Reviews,
  ServingCertificate,
  ViewColumn,
  ViewRow,
} from "../plugin/contract.js";
import type { HealthReport } from "../plugin/instance.js";
import type { PluginReport } from "../plugin/plugin-host.js";
import type { ApplyResult } from "../sources/control.js";

export type { ApplyResult, HealthReport, LogFile, PluginReport, TapReport };

export interface NodeReport {
  readonly name: string;
  readonly ip: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  /** What plugins say of the node, in order of their first setting. */
  readonly conditions: readonly NodeCondition[];
  readonly agentVersion: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  /** Sums of the requests of the active pods. */
  readonly requested: Resources;
  readonly runtime: RuntimeInfo;
  readonly system: SystemFacts;
  /** What of the optional things this runtime does. */
  readonly can: { readonly portForward: boolean; readonly importImage: boolean };
  readonly rootDir: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the first agent of this root directory started. */
  readonly createdAt: number;
}

/** A change made through the control socket. */
export interface Change {
  /** The request, for example `delete pod default/web`. */
  readonly what: string;
  /** What came of it, or why it was refused. */
  readonly outcome: string;
  readonly ok: boolean;
  /** The node did not change: a session in a pod (exec, port-forward). */
  readonly isSession: boolean;
  /** Who asked for it, as far as the platform tells; undefined: the agent itself. */
  readonly by?: string;
}

/** A stream of a pod that an HTTP upgrade is to carry. The container: the only or first one when undefined. */
export type PodStream =
  | ({ readonly kind: "exec"; readonly container?: string; readonly command: readonly string[] } & StreamParts)
  | ({ readonly kind: "attach"; readonly container?: string } & StreamParts)
  | { readonly kind: "portForward"; readonly ports: readonly number[] };

/** A pod by name, or by name without the node's suffix; namespace `default` when left out. */
export interface PodName {
  readonly name: string;
  readonly namespace?: string;
}

/** Every method that names something unknown throws NodeAgentError NOT_FOUND with the nearest names. */
export interface AgentApi {
  readonly version: string;
  readonly nodeName: string;
  /**
   * Reads the rc file again and starts an agent with it in place of this one; the pods run on. Resolves before this agent ends.
   * @throws NodeAgentError INVALID with the faults of the rc file, and for a setting that only a restart changes; UNSUPPORTED where the
   * program around the agent cannot do it
   */
  reload(): Promise<void>;
  /** Pods with their status as v1 Pods, by namespace and name. */
  pods(): readonly Pod[];
  pod(name: PodName): Pod;
  node(): Promise<NodeReport>;
  /** Of node and pods, at most ten seconds old; undefined when no plugin provides any. */
  statistics(options?: { readonly onlyCpuAndMemory?: boolean }): Promise<NodeStatistics | undefined>;
  plugins(): readonly PluginReport[];
  /** Switches all taps of a plugin off or on. */
  switchPlugin(name: string, active: boolean): void;
  views(): readonly { readonly name: string; readonly plugin: string; readonly description: string }[];
  view(name: string): Promise<{ readonly columns: readonly ViewColumn[]; readonly rows: readonly ViewRow[] }>;
  /** `manifest`: text of `-f`. */
  plan(
    plugin: string,
    input: { readonly manifest?: string; readonly arguments: Readonly<Record<string, string>> },
  ): Promise<readonly Decision[]>;
  /** Decisions about a subject, oldest first. kind: pod, container, image, device ... */
  explain(kind: string, name: string): readonly Decision[];
  /** What plugins report about it now, beside the recorded decisions; a plugin that fails is reported and left out. */
  explainNow(kind: string, name: string): Promise<readonly Decision[]>;
  /** Every decision from now on; none is lost, however many there are. Returns what ends it. */
  watchDecisions(listener: (decision: Decision) => void): () => void;
  /** Events, oldest first. */
  events(): readonly Event[];
  /** Every event from now on, also each time that one counts up. Returns what ends it. */
  watchEvents(listener: (event: Event) => void): () => void;
  /** Called after any pod changed; returns what ends it. */
  watchPods(listener: () => void): () => void;
  health(): Promise<HealthReport>;
  /** Ready: sources read, runtime well, every plugin started. */
  ready(): Promise<HealthReport>;
  metrics(path: string): Promise<{ readonly contentType: string; readonly body: string } | undefined>;
  /** Counts a request that has begun; what it returns is called when it is over. */
  httpRequest(request: HttpRequestLabels): () => void;
  /** HTTP paths that serve metrics: `/metrics` and those of plugins. */
  metricPaths(): readonly string[];
  configz(): Json;
  apply(manifest: string, where: string): Promise<readonly ApplyResult[]>;
  /** ConfigMaps or Secrets that were applied, with their values, by namespace and name. */
  objects(kind: ObjectKind): readonly ApiObject[];
  /** Takes back a ConfigMap or Secret that was applied. */
  deleteObject(kind: ObjectKind, name: { readonly namespace: string; readonly name: string }): Promise<void>;
  /** Authentication and authorization by the API server; undefined where there is none. */
  readonly reviews: Reviews | undefined;
  /** Of the server, where a plugin has one signed; undefined: it is the server's own matter. */
  readonly servingCertificate: ServingCertificate | undefined;
  /** Accepts the deletion; the pod is listed with a deletionTimestamp until it is gone. */
  deletePod(name: PodName, options: { readonly gracePeriodSeconds?: number }): Promise<Pod>;
  /** Restarts all containers of a pod in its sandbox; the pod may come from any source. Resolves before they are up. */
  restartPod(name: PodName): Promise<Pod>;
  /** Container: the only or first one when undefined. */
  log(name: PodName, container: string | undefined, options: { readonly previous: boolean }): Promise<LogFile>;
  exec(
    name: PodName,
    container: string | undefined,
    options: ExecOptions,
    output: (stream: "stdout" | "stderr", data: Buffer) => void,
  ): Promise<InteractiveExec>;
  /** A connection to a port inside a pod. Errors of the connection come as the stream's `error`. */
  portForward(name: PodName, port: number): Promise<Duplex>;
  /** Where the runtime serves the stream itself; undefined: it has no such server, `exec` and `portForward` carry it. */
  streamUrl(name: PodName, request: PodStream): Promise<string | undefined>;
  images(): Promise<readonly Image[]>;
  importImage(name: string, path: string): Promise<string>;
  removeImage(name: string): Promise<void>;
  /** Records a change made through the control socket in the log and as an event of the node. */
  audit(change: Change): void;
}
