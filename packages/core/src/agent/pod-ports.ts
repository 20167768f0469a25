/** What the life of pods needs of the agent. */

import { type RuntimeInfo, SharedLists } from "@hooklet/cri-api";
import { RankedSlots, Turns } from "@hooklet/utils";
import type { VolumeCalls } from "@hooklet/volumes";
import type { AgentConfig } from "../config/agent-config.js";
import { podLogsDirOf } from "../config/root-dir.js";
import type { TerminationCause } from "../hooks/termination.js";
import { ImageManager } from "../images/ensure-image.js";
import type { Node } from "../node/node.js";
import type { Checkpoint, EventRecorder, Host, KeptState } from "../plugin/contract.js";
import type { ProviderRegistry } from "../plugin/providers.js";
import { HandlerRunner, type HttpGet } from "../pod/life/handlers.js";
import type { PodNode } from "../pod/life/pod-node.js";
import { PodValues } from "../pod/life/pod-values.js";
import { ProvidedVolumes } from "../pod/life/provided-volumes.js";
import type { StepPorts } from "../pod/life/steps.js";
import { PodVolumes } from "../pod/life/volumes.js";
import { removeDeadContainer } from "./remove-dead.js";

/** Sandboxes and containers made at the same moment: more only make each other slow on a node's few cores. */
const STARTS_AT_ONCE = 8;
/** Of these: while all slots make sandboxes no container of a pod that is nearly done starts. */
const SANDBOXES_AT_ONCE = 4;
/** Sandboxes taken down at the same moment. */
const STOPS_AT_ONCE = 4;

interface PodPortsParts
  extends Pick<
    StepPorts,
    | "admit"
    | "sourceOf"
    | "clock"
    | "log"
    | "runtime"
    | "hooks"
    | "events"
    | "decisions"
    | "metrics"
    | "report"
    | "statusesSettled"
    | "seccompDefault"
  > {
  readonly config: AgentConfig;
  readonly host: Pick<Host, "textFile">;
  readonly node: Node;
  readonly httpGet: HttpGet;
  readonly terminations: TerminationCauses;
  readonly providers: ProviderRegistry;
  readonly volumeCalls: VolumeCalls;
  /** Folders in which what hostPaths of the pod lead to has to lie; null = anywhere. */
  readonly allowedHostPaths: StepPorts["allowedHostPaths"];
  readonly recursiveReadOnlyHandlers: RuntimeInfo["recursiveReadOnlyHandlers"];
}

export function podPorts(parts: PodPortsParts): StepPorts {
  const {
    config,
    host,
    node,
    httpGet,
    terminations,
    providers,
    volumeCalls,
    allowedHostPaths,
    recursiveReadOnlyHandlers,
    ...shared
  } = parts;
  const { clock, runtime, events } = shared;
  const podLogsDir = podLogsDirOf(config, runtime.podLogsDir);
  return {
    ...shared,
    allowedHostPaths,
    lists: new SharedLists(runtime),
    images: new ImageManager({
      clock,
      runtime,
      events,
      providers,
      report: shared.report,
      maxParallelPulls: parallelPulls(config),
    }),
    handlers: new HandlerRunner({
      clock,
      runtime,
      httpGet,
      sleepTerminatedEarly: () => shared.metrics.sleepTerminatedEarly(),
    }),
    volumes: new PodVolumes(config.rootDir, {
      provided: new ProvidedVolumes(providers, clock),
      calls: volumeCalls,
      allowedHostPaths,
      ...(recursiveReadOnlyHandlers !== undefined && { recursiveReadOnlyHandlers }),
      allocatableMemory: () => node.allocatable().memory,
    }),
    values: new PodValues(providers, clock),
    node: {
      name: node.name,
      ip: node.ip,
      clusterDNS: config.node.clusterDNS,
      clusterDomain: config.node.clusterDomain,
      missingClusterDNS: missingClusterDNS(events, providers),
      allocatable: () => node.allocatable(),
      resolvConf: async () => host.textFile(config.node.resolvConf),
      hosts: async () => host.textFile("/etc/hosts"),
    },
    podLogsDir,
    rootDir: config.rootDir,
    removeKeepingLog: (id) => removeDeadContainer({ runtime, podLogsDir, rootDir: config.rootDir }, id, "log"),
    remember: (uid, cause) => terminations.remember(uid, cause),
    startSlots: new RankedSlots(STARTS_AT_ONCE),
    sandboxSlots: new RankedSlots(SANDBOXES_AT_ONCE, { opening: 1 }),
    stopSlots: new RankedSlots(STOPS_AT_ONCE),
    lateStopSlots: new RankedSlots(STOPS_AT_ONCE),
    turns: new Turns(),
  };
}

/** In a cluster a pod without cluster DNS cannot find its services, and the kubelet warns per pod. Without a cluster nothing is missing, and the node warns once. */
function missingClusterDNS(events: EventRecorder, providers: ProviderRegistry): PodNode["missingClusterDNS"] {
  let isReported = false;
  return (pod, warning) => {
    if (providers.isInCluster) return events.pod(pod, "Warning", "MissingClusterDNS", warning);
    if (isReported) return;
    isReported = true;
    events.node(
      "Normal",
      "MissingClusterDNS",
      "The node has no cluster DNS (node.clusterDNS): pods with dnsPolicy ClusterFirst use the machine's resolv.conf.",
    );
  };
}

function parallelPulls({ node }: AgentConfig): number {
  if (node.serializeImagePulls) return 1;
  return node.maxParallelImagePulls ?? Number.POSITIVE_INFINITY;
}

// Causes of terminations that outlive the agent: an evicted pod stays evicted. One checked file, written before the kill.

/** Milliseconds after which a write that failed is tried again. */
const RETRY = 10_000;

interface CausesPorts {
  readonly checkpoint: Pick<Checkpoint, "keep">;
  report(where: string, error: unknown): void;
}

export class TerminationCauses {
  readonly #causes = new Map<string, TerminationCause>();
  readonly #kept: KeptState<Readonly<Record<string, TerminationCause>>>;

  constructor({ checkpoint, report }: CausesPorts) {
    this.#kept = checkpoint.keep<Readonly<Record<string, TerminationCause>>>({
      value: () => Object.fromEntries(this.#causes),
      schema: (z) =>
        z.record(
          z.string(),
          z.union([
            z.strictObject({ kind: z.literal("deadline") }),
            z.looseObject({ kind: z.literal("evicted"), by: z.string(), reason: z.string(), message: z.string() }),
          ]),
        ),
      failed: (error) => report("terminations", error),
      retry: RETRY,
    });
  }

  async load(): Promise<ReadonlyMap<string, TerminationCause>> {
    for (const [uid, cause] of Object.entries((await this.#kept.read()) ?? {})) this.#causes.set(uid, cause);
    return new Map(this.#causes);
  }

  /**
   * Resolves once it is on disk, or could not be written: an eviction that frees a full disk must not wait for free space.
   * A failed write is reported and retried.
   */
  async remember(uid: string, cause: TerminationCause): Promise<void> {
    if (!this.#causes.has(uid)) this.#causes.set(uid, cause);
    await this.#kept.saved();
  }

  async forget(uid: string): Promise<void> {
    if (this.#causes.delete(uid)) await this.#kept.saved();
  }

  /** Tries what is not written yet once more, and no more. */
  stop(): Promise<void> {
    return this.#kept.close();
  }
}
