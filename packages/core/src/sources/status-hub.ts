/**
 * The way back: statuses of pods to the sources that want them. Of each pod a source sees only the latest, one call at a time, many pods side
 * by side; what fails is tried again. Nothing that a source does wrong reaches the pods.
 */

import type { Pod } from "@hooklet/manifest";
import { agentStopping, type Clock, ownSignal, Semaphore, type Timer, tookTooLong, withDeadline } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import type { PodSource, StatusReport } from "./port.js";

interface StatusHubPorts {
  readonly clock: Clock;
  report(where: string, error: unknown): void;
}

export class StatusHub {
  readonly #sources = new Map<string, PodSource>();
  readonly #sinks = new Map<string, StatusSink>();

  constructor(private readonly ports: StatusHubPorts) {}

  /** Adds a source, which gets all pods from now on. The hub of sources has checked that its name is unique. */
  add(source: PodSource): void {
    this.#sources.set(source.name, source);
    if (source.status !== undefined) this.#sinks.set(source.name, new StatusSink(source, this.ports));
  }

  changed(pod: Pod): void {
    for (const sink of this.#sinks.values()) sink.tell({ pod, final: false });
  }

  /**
   * The pod has been stopped for good. Resolves once the source that wanted it has taken its last status, or was stopped;
   * the others get it in their own time. Undefined when there is nothing to wait for.
   */
  final(pod: Pod, owner: string | undefined): Promise<void> | undefined {
    let taken: Promise<void> | undefined;
    for (const [name, sink] of this.#sinks) {
      const last = sink.last(pod);
      if (name === owner) taken = last;
    }
    return taken;
  }

  /** Reports a pod that the agent did not take to its source only. */
  rejected(source: string, pod: Pod): void {
    this.#sinks.get(source)?.tell({ pod, final: true });
  }

  /** Resolves once no status is on its way to any source; undefined: none is. */
  settled(): Promise<void> | undefined {
    const waits = [...this.#sinks.values()].flatMap((sink) => sink.settled() ?? []);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** The source can tell its statuses again. */
  again(source: string): void {
    this.#sinks.get(source)?.again();
  }

  removed(uid: string): void {
    this.#each("removed", (source) => source.removed?.(uid));
  }

  event(event: Event): void {
    this.#each("event", (source) => source.event?.(event));
  }

  /** Who waits for a source that is stopped waits no longer. */
  stop(): void {
    for (const sink of this.#sinks.values()) sink.stop();
  }

  #each(what: string, tell: (source: PodSource) => unknown): void {
    for (const source of this.#sources.values()) {
      const failed = (error: unknown): void => this.ports.report(`${what} of source ${source.name}`, error);
      try {
        Promise.resolve(tell(source)).catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}

// Statuses on their way to one source.

/** Concurrent status calls per source: most of the time is a wait for a remote disk. */
const AT_ONCE = 64;
/** Milliseconds after which a call counts as failed and its signal aborts. */
const DEADLINE = 30_000;
/** Milliseconds before a failed call is made again: doubling from the first to the last. */
const RETRY = { first: 1_000, last: 30_000 };

/** What is on its way for one pod. */
interface Lane {
  /** The newest report that the source has not taken. */
  report: StatusReport | undefined;
  busy: boolean;
  /** Milliseconds of the last back-off; 0 when the last call succeeded. */
  delay: number;
  timer?: Timer;
  /** Called when the final report is taken. */
  readonly taken: (() => void)[];
}

export class StatusSink {
  readonly #lanes = new Map<string, Lane>();
  readonly #slots = new Semaphore(AT_ONCE);
  readonly #stopping = new AbortController();
  /** Pods whose status is on its way, or waits for its turn. */
  #underWay = 0;
  /** One promise for all callers that wait. */
  #settled: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(
    private readonly source: Pick<PodSource, "name" | "status">,
    private readonly ports: { readonly clock: Clock; report(where: string, error: unknown): void },
  ) {}

  /** Replaces a report that has not been taken yet. */
  tell(report: StatusReport): void {
    if (this.#stopping.signal.aborted) return;
    const { uid } = report.pod.metadata;
    const lane: Lane = this.#lanes.get(uid) ?? { report: undefined, busy: false, delay: 0, taken: [] };
    if (lane.report?.final && !report.final) return;
    this.#lanes.set(uid, lane);
    lane.report = report;
    if (!lane.busy && lane.timer === undefined) this.#send(uid, lane);
  }

  /** Resolves once the pod's last status is taken, or the source is stopped. */
  last(pod: Pod): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    this.tell({ pod, final: true });
    return new Promise((resolve) => void this.#lanes.get(pod.metadata.uid)?.taken.push(resolve));
  }

  /**
   * Resolves once no status is on its way, or the source is stopped; undefined: none is. What failed and waits to be tried again is not
   * on its way.
   */
  settled(): Promise<void> | undefined {
    if (this.#underWay === 0 || this.#stopping.signal.aborted) return undefined;
    if (this.#settled === undefined) {
      let resolve = (): void => undefined;
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#settled = { promise, resolve };
    }
    return this.#settled.promise;
  }

  /** What waits to be tried again is tried now. */
  again(): void {
    for (const [uid, lane] of this.#lanes) {
      if (lane.timer === undefined) continue;
      lane.timer.cancel();
      delete lane.timer;
      this.#send(uid, lane);
    }
  }

  stop(): void {
    this.#stopping.abort(agentStopping());
    for (const { timer, taken } of this.#lanes.values()) {
      timer?.cancel();
      for (const resolve of taken) resolve();
    }
    this.#lanes.clear();
    this.#wake();
  }

  #send(uid: string, lane: Lane): void {
    lane.busy = true;
    this.#underWay += 1;
    this.#slots
      .run(() => this.#call(lane))
      .then(
        (sent) => this.#sent(uid, lane, sent),
        (error: unknown) => this.#failed(uid, lane, error),
      )
      .then(() => {
        this.#underWay -= 1;
        if (this.#underWay === 0) this.#wake();
      });
  }

  #wake(): void {
    this.#settled?.resolve();
    this.#settled = undefined;
  }

  /** The latest at the moment at which it is its turn. */
  async #call(lane: Lane): Promise<StatusReport | undefined> {
    const { report } = lane;
    if (report === undefined || this.#stopping.signal.aborted) return undefined;
    const own = ownSignal(this.#stopping.signal);
    const late = (): Error => {
      const who = `Source ${this.source.name}`;
      const error = tookTooLong(
        "SOURCE_TIMEOUT",
        who,
        "has not taken a status; hooklet sends it again",
        DEADLINE / 1000,
      );
      own.abort(error);
      return error;
    };
    try {
      const sent = (async () => this.source.status?.(report, own.signal))();
      await withDeadline(this.ports.clock, DEADLINE, sent, late);
    } finally {
      own.close();
    }
    return report;
  }

  #sent(uid: string, lane: Lane, sent: StatusReport | undefined): void {
    if (this.#stopping.signal.aborted) return;
    lane.busy = false;
    lane.delay = 0;
    if (lane.report !== sent) {
      this.#send(uid, lane);
      return;
    }
    this.#lanes.delete(uid);
    for (const resolve of lane.taken) resolve();
  }

  #failed(uid: string, lane: Lane, error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    lane.busy = false;
    // Once for each run of failures: a sink that is away for an hour does not fill the log.
    if (lane.delay === 0) this.ports.report(`status of pod ${uid} for source ${this.source.name}`, error);
    lane.delay = lane.delay === 0 ? RETRY.first : Math.min(RETRY.last, lane.delay * 2);
    lane.timer = this.ports.clock.schedule(lane.delay, () => {
      delete lane.timer;
      this.#send(uid, lane);
    });
  }
}
