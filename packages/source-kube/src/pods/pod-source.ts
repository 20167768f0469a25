/** Pods of the API that are bound to this node, as a source of the agent. */
import { type Clock, namespacedName, type Pod, type Timer } from "@hooklet/core";
import type { PodSource, SourceSink, StatusReport } from "@hooklet/core/host";
import { timestamp } from "@hooklet/core/subsystem";
import type { Event } from "kubernetes-types/core/v1.js";
import type { KubeClient } from "../client/client.js";
import { ListWatch } from "../client/list-watch.js";
import { paths } from "../client/paths.js";
import type { NodeLease } from "../node/node-lease.js";
import type { NodeOwnership } from "../node/ownership.js";
import { type ApiPod, awaitsRemoval, deliveredPod, isBeingDeleted, isTerminal, whatIsMissing } from "./api-pod.js";
import { isStatic, type Mirrors } from "./mirrors.js";
import { PodLimit } from "./pod-limit.js";
import type { Changes, PodTable } from "./pod-table.js";
import type { StatusWriter } from "./status-writer.js";

export interface PodSourcePorts {
  readonly watches: Pick<KubeClient, "get" | "stream" | "pause">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly nodeName: string;
  readonly table: PodTable;
  readonly writer: StatusWriter;
  readonly mirrors: Mirrors;
  /** Resolves once the Node is in the API: before that no pod can be bound to it. */
  readonly nodeKnown: Promise<void>;
  readonly nodeLease: Pick<NodeLease, "acts" | "isNone" | "isLost" | "known" | "watch">;
  /** Where it has held the node, in this life or in an earlier one, what runs of the cluster was started by this agent. */
  readonly ownership: Pick<NodeOwnership, "hasHeld">;
  readonly signal: AbortSignal;
  /** A pod was added or replaced; called before the agent gets it. */
  came(pod: Pod): void;
  /** A pod's status in the API has changed. */
  statusSeen(pod: ApiPod): void;
  /** The pod has been stopped for good. */
  gone(uid: string): void;
  /** All pods of the cluster that run here are about to be ended: they are another agent's. */
  ousted(): void;
  /** What the agent shows of a pod now. */
  shown(uid: string): Pod | undefined;
  /** All pods of the agent, once every source has delivered its pods. */
  all(): readonly Pod[] | undefined;
  event(event: Event): void;
  report(where: string, error: unknown): void;
}

/** Milliseconds between two checks whether the API has the reported statuses. */
const RECONCILE = 10_000;

export class KubePods implements PodSource {
  readonly name = "kube";
  #watch: ListWatch<ApiPod> | undefined;
  #sink: SourceSink | undefined;
  #timer: Timer | undefined;
  /** Uid -> when the agent first saw it. */
  readonly #seen = new Map<string, string>();
  /** Uid -> the last version delivered to the agent. */
  readonly #lastDelivered = new Map<string, Pod>();
  /** Pods whose status in the API may differ from the agent's. */
  readonly #doubtful = new Set<string>();
  readonly #room = new PodLimit((message) => this.ports.report("watch of pods", new Error(message)));
  /** Something came while it was not known whether the node is this agent's. */
  #heldBack = false;
  /** The pods that ran here are another agent's, and have been ended. */
  #isOut = false;

  constructor(private readonly ports: PodSourcePorts) {}

  async start(sink: SourceSink): Promise<void> {
    const { nodeKnown, watches: client, clock, random, nodeName, table, report } = this.ports;
    this.#sink = sink;
    this.ports.nodeLease.watch(() => this.#leaseChanged());
    await nodeKnown;
    await new Promise<void>((resolve) => {
      this.#watch = new ListWatch<ApiPod>({
        client,
        clock,
        random,
        path: paths.allPods,
        query: { fieldSelector: `spec.nodeName=${nodeName}` },
        sink: {
          replace: (pods) => {
            this.#room.clear();
            this.#heed(table.replace(this.#readable(pods)), "whole");
            resolve();
          },
          changed: (type, pod) => {
            if (type === "DELETED") {
              this.#room.leave(pod.metadata.uid);
              this.#heed(table.remove(pod), "part");
            } else for (const one of this.#readable([pod])) this.#heed(table.set(one), "part");
          },
          failed: (error) => report("watch of pods", error),
        },
      });
      this.#watch.start();
    });
    this.#reconcile();
  }

  async status(given: StatusReport, signal: AbortSignal): Promise<void> {
    const { table, nodeLease, mirrors, shown } = this.ports;
    const { uid } = given.pod.metadata;
    if (!(isStatic(given.pod) || table.has(uid))) return;
    const isLate = !nodeLease.acts;
    await nodeLease.known(signal);
    // The agent that has the node reports its pods.
    if (nodeLease.isNone) return;
    // It may have changed while the owner of the node was unknown: the newest status is reported.
    const report = isLate && !given.final ? { ...given, pod: shown(uid) ?? given.pod } : given;
    if (isStatic(report.pod)) {
      await mirrors.write(report, signal);
      return;
    }
    this.#doubtful.delete(uid);
    const inApi = table.get(uid);
    if (inApi !== undefined) this.ports.statusSeen(inApi);
    await this.ports.writer.write(report, signal);
  }

  event(event: Event): void {
    this.ports.event(event);
  }

  removed(uid: string): void {
    this.ports.gone(uid);
  }

  /** The API server answers again. */
  reachable(): void {
    this.#sink?.reachable();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#watch?.stop();
  }

  /** The node is this agent's again, or another one's that lives: that one runs these pods now, and they end here. */
  #leaseChanged(): void {
    const { table, nodeLease, ownership } = this.ports;
    if (!nodeLease.acts) {
      if (this.#isOut || !nodeLease.isLost || !ownership.hasHeld) return;
      this.#isOut = true;
      this.ports.ousted();
      this.#sink?.desired([]);
      return;
    }
    if (this.#isOut) table.emptied();
    const isLate = this.#heldBack || (this.#isOut && this.#watch !== undefined);
    [this.#isOut, this.#heldBack] = [false, false];
    if (isLate) {
      const removed = [...this.#seen.keys()].filter((uid) => !table.has(uid));
      this.#heed(
        { set: table.wanted(), removed, statuses: [], leftovers: table.ended().filter(awaitsRemoval) },
        "whole",
      );
    }
    this.#sink?.reachable();
  }

  #heed({ set, removed, statuses, leftovers }: Changes, how: "whole" | "part"): void {
    const { table, nodeLease, came, statusSeen } = this.ports;
    if (!nodeLease.acts) {
      this.#heldBack = true;
      return;
    }
    for (const pod of leftovers) this.#sweep(pod);
    // What has ended is not changed any more: another spec would be a pod to run.
    const fresh = set.filter((pod) => isBeingDeleted(pod) || !this.#hasEnded(pod)).map((pod) => this.#delivered(pod));
    for (const pod of fresh) this.#guarded(pod, came);
    for (const uid of removed) {
      this.#seen.delete(uid);
      this.#lastDelivered.delete(uid);
    }
    if (how === "whole") this.#sink?.desired(table.wanted().map((pod) => this.#desired(pod)));
    else if (fresh.length > 0 || removed.length > 0) {
      this.#sink?.changed({ set: fresh, removed: removed.map((uid) => ({ uid })) });
    }
    for (const pod of [...set, ...statuses]) {
      this.#guarded(pod, statusSeen);
      this.#doubtful.add(pod.metadata.uid);
    }
  }

  /** One pod that is not as the API has pods costs no other one of its list; where it was well before, it stays as it was. */
  #readable(pods: readonly ApiPod[]): readonly ApiPod[] {
    const { table, report } = this.ports;
    return pods.flatMap((pod) => {
      const missing = whatIsMissing(pod);
      if (missing === undefined) return this.#room.take(pod) ? pod : (table.get(pod.metadata.uid) ?? []);
      report("watch of pods", new Error(`a pod of the API is left out: ${missing}`));
      return table.get(pod?.metadata?.uid) ?? [];
    });
  }

  /** What a field of another type breaks is this pod's own. */
  #guarded<T extends Pick<Pod, "metadata">>(pod: T, tell: (pod: T) => void): void {
    try {
      tell(pod);
    } catch (error) {
      this.ports.report(`pod ${namespacedName(pod.metadata)}`, error);
    }
  }

  /** What has ended stays in the set as the agent has it. */
  #desired(pod: ApiPod): Pod {
    const delivered =
      isBeingDeleted(pod) || !this.#hasEnded(pod) ? undefined : this.#lastDelivered.get(pod.metadata.uid);
    return delivered ?? this.#delivered(pod);
  }

  #hasEnded({ metadata }: ApiPod): boolean {
    const shown = this.ports.shown(metadata.uid);
    return shown !== undefined && isTerminal(shown);
  }

  #delivered(pod: ApiPod): Pod {
    const { uid } = pod.metadata;
    const seen = this.#seen.get(uid) ?? timestamp(this.ports.clock.now());
    this.#seen.set(uid, seen);
    const delivered = deliveredPod(pod, seen);
    this.#lastDelivered.set(uid, delivered);
    return delivered;
  }

  /** A pod that had ended before this agent started and has no containers here: only its object is left to delete. */
  #sweep(pod: ApiPod): void {
    const { writer, signal, report } = this.ports;
    writer.remove(pod, signal).catch((error: unknown) => {
      if (!signal.aborted) report(`removal of pod ${namespacedName(pod.metadata)}`, error);
    });
  }

  /** What others have written over is written again; what was not swept is tried again. */
  #reconcile(): void {
    const { clock, shown, table, nodeLease, signal, report, writer } = this.ports;
    this.#timer = clock.schedule(RECONCILE, () => {
      if (!nodeLease.acts) return this.#reconcile();
      for (const uid of this.#doubtful) {
        // A report under way may be the very difference: the next check decides.
        if (writer.isWriting(uid)) continue;
        this.#doubtful.delete(uid);
        const pod = shown(uid);
        if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
        writer.write({ pod, final: false }, signal).catch((error: unknown) => report(`status of pod ${uid}`, error));
      }
      for (const pod of table.ended()) if (awaitsRemoval(pod)) this.#sweep(pod);
      const all = this.ports.all();
      const mirrored = all === undefined ? undefined : this.ports.mirrors.reconcile(all, signal);
      mirrored?.catch((error: unknown) => {
        if (!signal.aborted) report("mirror pods", error);
      });
      this.#reconcile();
    });
  }
}
