/** The agent as the control socket, HTTP and CLI see it. */

import type { Runtime } from "@hooklet/cri-api";
import { apiPod, namespacedName, type Pod, type ProvidedKind, readManifest } from "@hooklet/manifest";
import { applyRefused, deepFreeze, type IdSource, invalid, type Json, notFound, unsupported } from "@hooklet/utils";
import type * as v1 from "kubernetes-types/core/v1.js";
import type { Logger } from "pino";
import type { DecisionLog, EventLog } from "../events/recorder.js";
import type { NodePorts } from "../node/ports.js";
import { cpuAndMemoryOnly } from "../node/statistics.js";
import type { Reviews, ServingCertificate } from "../plugin/contract.js";
import type { MetricRegistries } from "../plugin/metrics.js";
import type { PluginHost } from "../plugin/plugin-host.js";
import type { PodManager } from "../pod/life/pod-manager.js";
import type { ControlSource } from "../sources/control.js";
import type { AgentApi, Change, HealthReport, PodName } from "./api.js";
import { containerLog, deletePod, findPod, podStreams, restartPod } from "./pod-requests.js";
import { podsMeant } from "./pods-meant.js";
import { isAbout, type NodeReportParts, nodeReport, podOf, reportedPod, standing } from "./reports.js";

/** Reason of the audit events about changes through the control socket. */
export const AUDIT_REASON = "ControlSocketChange";

export interface ApiParts extends NodeReportParts {
  readonly nodePorts: NodePorts;
  readonly manager: PodManager;
  readonly host: PluginHost;
  readonly log: Logger;
  readonly runtime: Runtime;
  readonly events: EventLog;
  readonly decisions: DecisionLog;
  readonly registries: MetricRegistries;
  readonly control: ControlSource;
  readonly ids: IdSource;
  /** What manifests may use because a plugin provides it. */
  readonly provided: ReadonlySet<ProvidedKind>;
  /** Authentication and authorization for the server; undefined: no plugin provides them. */
  readonly reviews: Reviews | undefined;
  readonly servingCertificate: ServingCertificate | undefined;
  readonly podLogsDir: string;
  /** The file or URL that a pod's manifest is in. */
  readonly placeOf: (uid: string) => string | undefined;
  /** Undefined: the program around the agent cannot do it. */
  readonly reload: AgentApi["reload"] | undefined;
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
  const shown = (one: Pod): Pod => reportedPod(one, node.ip);
  const pods = (): readonly Pod[] => [...manager.list()].sort(byName).map(shown);
  const pod = (name: PodName): Pod => shown(findPod(manager.list(), name, node.name));
  const meant = (name: string): readonly Pod[] => {
    const all = pods();
    const named = podsMeant(
      all.map(({ metadata }) => namespacedName(metadata)),
      name,
      node.name,
    );
    return all.filter(({ metadata }) => named.includes(namespacedName(metadata)));
  };
  return {
    version: parts.version,
    nodeName: node.name,
    reload:
      parts.reload ??
      (async () => {
        throw unsupported("this agent cannot reload its configuration", "Restart it.");
      }),
    pods,
    pod,
    node: async () => nodeReport(parts),
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
    explain: (kind, name) => {
      if (kind !== "pod") return decisions.list(({ subject }) => isAbout(subject, kind, name));
      const ofPods = decisions.list(({ subject }) => podOf(subject) !== undefined);
      const living = meant(name).map(({ metadata }) => namespacedName(metadata));
      const gone = (): readonly string[] =>
        podsMeant(
          ofPods.flatMap(({ subject }) => podOf(subject) ?? []),
          name,
          node.name,
        );
      const named = living.length > 0 ? living : gone();
      return ofPods.filter(({ subject }) => named.includes(podOf(subject) ?? ""));
    },
    explainNow: async (kind, name) => {
      if (kind !== "pod") return host.explain(kind, name);
      const moment = { now: parts.monotonic(), wall: parts.now() };
      const stand = meant(name).flatMap(({ metadata }) => {
        const worker = manager.worker(metadata.uid);
        return worker === undefined ? [] : standing(worker.state, { ...moment, ending: worker.ending });
      });
      const said = await Promise.all(meant(name).map(({ metadata }) => host.explain(kind, namespacedName(metadata))));
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
    servingCertificate: parts.servingCertificate,
    objects: (kind) => control.objects.list().filter((object) => object.kind === kind),
    deleteObject: (kind, { namespace, name }) => control.deleteObject(kind, namespace, name),
    apply: async (manifest, where) => {
      if (manager.isEnding) throw applyRefused();
      return control.apply(manifest, where);
    },
    deletePod: (name, { gracePeriodSeconds }) => deletePod(parts, pod(name), gracePeriodSeconds),
    restartPod: async (name) => restartPod(manager, pod(name)),
    log: async (name, container, options) => containerLog(parts, pod(name), container, options.previous),
    ...podStreams({ manager, runtime, pod }),
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
      const { isSession, ok, by } = change;
      // One `cp` is several sessions: without the pid they are one event that counts up, and push no pod's aside.
      const text = auditText(isSession && by !== undefined ? { ...change, by: withoutPid(by) } : change);
      // A client that is refused has its answer: that is no warning of the node.
      events.node(ok || by !== undefined ? "Normal" : "Warning", AUDIT_REASON, text);
    },
  };
}

function auditText({ what, outcome, by }: Change): string {
  const text = `${what}: ${outcome.replace(/\s*\n\s*/g, " ")}`;
  return by === undefined ? text : `${text.replace(/\.$/, "")}; by ${by}`;
}

/** `uid 0 (logged in as 1000), pid 7 (hooklet)` without the process. */
function withoutPid(by: string): string {
  return by.replace(/, pid \d.*$/s, "");
}

function byName(a: Pod, b: Pod): number {
  const [left, right] = [a, b].map(({ metadata }) => namespacedName(metadata)) as [string, string];
  return left < right ? -1 : left > right ? 1 : 0;
}
