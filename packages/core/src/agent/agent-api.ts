/** The agent as the control socket, HTTP and CLI see it. */
import path from "node:path";
import {
  apiPod,
  ConfigAnnotations,
  namespacedName,
  type Pod,
  type ProvidedKind,
  podRequests,
  readManifest,
} from "@hooklet/manifest";
import type * as v1 from "kubernetes-types/core/v1.js";
import type { Logger } from "pino";
import { invalid, NodeAgentError, notFound, notRunning, unsupported } from "../errors.js";
import type { DecisionLog } from "../events/decisions.js";
import type { EventLog } from "../events/recorder.js";
import { deepFreeze } from "../lib/freeze.js";
import type { IdSource } from "../lib/ids.js";
import type { Json } from "../lib/json.js";
import type { Node } from "../node/node.js";
import type { NodePorts } from "../node/ports.js";
import { cpuAndMemoryOnly } from "../node/summary.js";
import { readSystem } from "../node/system.js";
import type { Decision, Reviews, ServedCertificate } from "../plugin/contract.js";
import type { PluginHost } from "../plugin/host.js";
import type { MetricRegistries } from "../plugin/metrics.js";
import type { PodManager } from "../pod/life/manager.js";
import { containerLogPath } from "../pod/spec/container-config.js";
import { podLogDirectory } from "../pod/spec/sandbox-config.js";
import type { ContainerState } from "../pod/state.js";
import { situation } from "../pod/status/situation.js";
import type { Runtime, RuntimeInfo } from "../runtime/port.js";
import type { ControlSource } from "../sources/control.js";
import type { AgentApi, Change, HealthReport, LogFile, NodeReport, PodName } from "./api.js";
import { findContainer, findPod } from "./pod-names.js";
import { shownPod } from "./shown-pod.js";

/** Reason of the events that tell of changes through the control socket. */
export const AUDIT_REASON = "ControlSocketChange";

export interface ApiParts {
  readonly version: string;
  readonly node: Node;
  readonly nodePorts: NodePorts;
  readonly manager: PodManager;
  readonly host: PluginHost;
  readonly log: Logger;
  readonly runtime: Runtime;
  readonly info: RuntimeInfo;
  readonly events: EventLog;
  readonly decisions: DecisionLog;
  readonly registries: MetricRegistries;
  readonly control: ControlSource;
  readonly ids: IdSource;
  /** What manifests may use because a plugin provides it. */
  readonly provided: ReadonlySet<ProvidedKind>;
  /** Whom the server lets in; undefined: no plugin says. */
  readonly reviews: Reviews | undefined;
  readonly servedCertificate: ServedCertificate | undefined;
  readonly podLogsDir: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly configz: Json;
  /** Brings gauges up to date before they are shown. */
  readonly refreshMetrics: () => void;
  readonly httpRequest: AgentApi["httpRequest"];
  readonly health: () => Promise<HealthReport>;
  readonly ready: () => Promise<HealthReport>;
}

export function createApi(parts: ApiParts): AgentApi {
  const { manager, host, runtime, events, decisions, registries, control, node } = parts;
  const shown = (one: Pod): Pod => shownPod(one, node.ip);
  const pods = (): readonly Pod[] => [...manager.list()].sort(byName).map(shown);
  const pod = (name: PodName): Pod => shown(findPod(manager.list(), name, node.name));
  return {
    version: parts.version,
    nodeName: node.name,
    pods,
    pod,
    node: () => nodeReport(parts),
    statistics: async ({ onlyCpuAndMemory = false } = {}) => {
      const statistics = await parts.nodePorts.statistics.read();
      return statistics !== undefined && onlyCpuAndMemory ? cpuAndMemoryOnly(statistics) : statistics;
    },
    httpRequest: parts.httpRequest,
    plugins: () => host.reports(),
    switchPlugin: (name, active) => host.switchPlugin(name, active),
    views: () => host.views(),
    view: (name) => host.view(name),
    plan: async (plugin, input) => {
      if (input.manifest === undefined) return host.plan(plugin, { arguments: input.arguments });
      const identify = (found: v1.Pod) =>
        apiPod(found, { nodeName: node.name, seen: parts.now(), uid: parts.ids.uid() });
      const [first, ...others] = await readManifest(input.manifest, "-f", identify, parts.provided);
      if (first === undefined || others.length > 0)
        throw invalid("-f", "one pod to plan for", `${others.length + 1} pods`);
      return host.plan(plugin, { pod: deepFreeze(first), arguments: input.arguments });
    },
    explain: (kind, name) => decisions.list((decision) => isAbout(decision.subject, kind, name, node.name)),
    explainNow: async (kind, name) => {
      if (kind !== "pod") return host.explain(kind, name);
      const meant = pods().filter(({ metadata }) => isPod(namespacedName(metadata), name, node.name));
      const stand = meant.flatMap((one) => standing(parts, one));
      const said = await Promise.all(meant.map(({ metadata }) => host.explain(kind, namespacedName(metadata))));
      return [...stand, ...said.flat()];
    },
    events: () => events.list(),
    watchDecisions: (listener) => decisions.watch(listener),
    watchEvents: (listener) => events.watch(listener),
    watchPods: (listener) => manager.watch(() => listener()),
    health: parts.health,
    ready: parts.ready,
    metrics: (where) => {
      parts.refreshMetrics();
      return registries.render(where);
    },
    metricPaths: () => registries.paths(),
    configz: () => parts.configz,
    reviews: parts.reviews,
    servedCertificate: parts.servedCertificate,
    deleteObject: (kind, { namespace, name }) => control.deleteObject(kind, namespace, name),
    apply: (manifest, where) => control.apply(manifest, where),
    deletePod: (name, { gracePeriodSeconds }) => deletePod(parts, pod(name), gracePeriodSeconds),
    log: async (name, container, options) => logFile(parts, pod(name), container, options.previous),
    exec: async (name, container, options, output) => {
      const found = pod(name);
      const inside = findContainer(found, container);
      const running = manager.running({ podUid: found.metadata.uid, container: inside });
      if (running === undefined) throw notRunning(`container ${inside} of pod ${found.metadata.name}`);
      return runtime.exec(running.containerId, options, output);
    },
    portForward: async (name, port) => {
      const { metadata } = pod(name);
      const sandbox = manager.worker(metadata.uid)?.state.sandbox;
      if (runtime.portForward === undefined)
        throw unsupported(
          `runtime ${runtime.name} cannot forward ports into pods`,
          "Connect to the pod's IP from the node.",
        );
      if (sandbox?.kind !== "ready") throw notRunning(`pod ${metadata.name}`);
      return runtime.portForward(sandbox.id, port);
    },
    streamUrl: async (name, request) => {
      if (runtime.streamUrl === undefined) return undefined;
      const { metadata, ...found } = pod(name);
      if (request.kind === "portForward") {
        const sandbox = manager.worker(metadata.uid)?.state.sandbox;
        if (sandbox?.kind !== "ready") throw notRunning(`pod ${metadata.name}`);
        return runtime.streamUrl({ ...request, sandboxId: sandbox.id });
      }
      const { container, ...rest } = request;
      const inside = findContainer({ metadata, ...found }, container);
      const running = manager.running({ podUid: metadata.uid, container: inside });
      if (running === undefined) throw notRunning(`container ${inside} of pod ${metadata.name}`);
      return runtime.streamUrl({ ...rest, containerId: running.containerId });
    },
    images: () => runtime.listImages(),
    importImage: async (name, from) => {
      if (runtime.importImage === undefined) {
        throw unsupported(`runtime ${runtime.name} cannot import images`, "Use its own tools.");
      }
      return runtime.importImage(name, from);
    },
    removeImage: async (name) => {
      // Runtimes take the removal of an unknown image for done, as CRI wants it; a person has mistyped.
      if ((await runtime.imageStatus(name)) === undefined) {
        throw notFound(
          "image",
          name,
          (await runtime.listImages()).flatMap(({ repoTags }) => repoTags),
        );
      }
      await runtime.removeImage(name);
    },
    audit: (change) => {
      parts.log.info({ audit: change }, `audit: ${auditText(change)}`);
      events.node(change.ok ? "Normal" : "Warning", AUDIT_REASON, auditText(change));
    },
  };
}

function auditText({ what, outcome, by }: Change): string {
  return `${what}: ${outcome}; by ${by}`;
}

function byName(a: Pod, b: Pod): number {
  const [left, right] = [a, b].map(({ metadata }) => namespacedName(metadata)) as [string, string];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether `namespace/name` is the pod that people call `name`, with or without its namespace and the node's suffix. */
function isPod(full: string, name: string, nodeName: string): boolean {
  return [name, `${name}-${nodeName}`].some((wanted) => full === wanted || full.endsWith(`/${wanted}`));
}

/** `explain pod web` also finds `pod/default/web-node1` and what was decided about its containers. */
function isAbout(subject: string, kind: string, name: string, nodeName: string): boolean {
  const [subjectKind, ...rest] = subject.split("/");
  if (kind === "pod" && (subjectKind === "pod" || subjectKind === "container")) {
    return isPod(rest.slice(0, 2).join("/"), name, nodeName);
  }
  return (
    subjectKind === kind && (rest.join("/") === name || rest.at(-1) === name || rest.join("/").endsWith(`/${name}`))
  );
}

/** Where a pod stands now, as core tells it. */
function standing({ manager, now, monotonic }: ApiParts, { metadata }: Pod): readonly Decision[] {
  const worker = manager.worker(metadata.uid);
  if (worker === undefined) return [];
  const { ending, state } = worker;
  const at = now();
  return situation(state, { now: monotonic(), wall: at, ending }).map(({ subject, outcome }) => ({
    at,
    plugin: "core",
    strategy: STANDING,
    subject,
    considered: [],
    outcome,
  }));
}

/** Strategy of the "decisions" that tell where a pod stands. */
export const STANDING = "now";

async function nodeReport({
  node,
  nodePorts,
  manager,
  runtime,
  info,
  version,
  startedAt,
}: ApiParts): Promise<NodeReport> {
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
    system: await readSystem(),
    can: { portForward: runtime.portForward !== undefined, importImage: runtime.importImage !== undefined },
    rootDir: node.rootDir,
    startedAt,
  };
}

/** Pods of files and URLs are deleted where they are kept; as with a kubelet, deleting them here would not last. */
async function deletePod(
  { manager, control }: ApiParts,
  pod: Pod,
  gracePeriodSeconds: number | undefined,
): Promise<Pod> {
  const { name, namespace, uid, annotations } = pod.metadata;
  const owner = manager.sourceOf(uid);
  const mark = annotations?.[ConfigAnnotations.source];
  const isOwn = owner === undefined ? mark === "api" : owner === control.name;
  if (!isOwn) {
    const source = mark === undefined || mark === "api" ? owner : mark;
    throw new NodeAgentError(
      "INVALID",
      `pod ${namespacedName(pod.metadata)} comes from source "${source}" and cannot be deleted here: remove its manifest there.`,
    );
  }
  if (gracePeriodSeconds !== undefined) {
    if (!Number.isInteger(gracePeriodSeconds) || gracePeriodSeconds < 0) {
      throw invalid("gracePeriodSeconds", "whole seconds, 0 or more", gracePeriodSeconds);
    }
  }
  // Deleted once more, with less time perhaps: it has left the source already.
  if (pod.metadata.deletionTimestamp === undefined) await control.delete(namespace, name, gracePeriodSeconds);
  else if (gracePeriodSeconds !== undefined) control.shorten(uid, gracePeriodSeconds);
  return manager.get(uid) ?? pod;
}

function logFile(
  { manager, runtime, podLogsDir }: ApiParts,
  pod: Pod,
  container: string | undefined,
  previous: boolean,
): LogFile {
  const name = findContainer(pod, container);
  const now = () => manager.worker(pod.metadata.uid)?.state.containers[name];
  const current = now();
  const waits = statusOf(manager.get(pod.metadata.uid), name)?.state?.waiting !== undefined;
  const attempt = previous ? previousAttempt(current, waits) : newestAttempt(current);
  if (attempt === undefined) {
    const owner = `container "${name}" of pod ${namespacedName(pod.metadata)}`;
    const what = previous
      ? `${owner} has not ended yet in this pod's life: there is no log of an earlier one. Leave --previous away.`
      : `${owner} has not been started yet: there is no log of it. "hooklet explain pod ${pod.metadata.name}" tells what it waits for.`;
    throw new NodeAgentError("NOT_FOUND", what);
  }
  return {
    path: path.join(podLogDirectory(podLogsDir, pod), containerLogPath(name, attempt)),
    format: runtime.logFormat,
    ended: () => {
      const state = now();
      return state?.kind !== "running" || state.attempt !== attempt;
    },
  };
}

function newestAttempt(container: ContainerState | undefined): number | undefined {
  if (container?.kind === "running") return container.attempt;
  return container?.kind === "exited" ? container.exit.attempt : container?.last?.attempt;
}

/** While a container waits in back-off, the one that ended last is the previous one, as for kubectl. */
function previousAttempt(container: ContainerState | undefined, waits: boolean): number | undefined {
  return container?.kind === "exited" && waits ? container.exit.attempt : container?.last?.attempt;
}

function statusOf(pod: Pod | undefined, container: string): v1.ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod?.status ?? {};
  return [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container);
}
