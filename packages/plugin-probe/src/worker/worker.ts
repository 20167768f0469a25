/** Runs one worker: steps of the state machine when they are due, a round when the machine requests one. */
import type { Clock } from "@hooklet/core";
import type { WorkerMetrics } from "../metrics.js";
import { type Job, Latencies, type Scheduler } from "../scheduler.js";
import type { Schedule, ScheduleInput } from "../schedules.js";
import type { ProbeSpec, Round, TimedRound } from "../types.js";
import { type Change, newWorker, next, type PodLook, type Step, type WorkerState } from "./state-machine.js";

/** The result, for messages. */
export interface Finding {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly result: "success" | "failure" | "error";
  /** The first characters of the output. */
  readonly output: string;
}

/** What a worker needs of the others. */
export interface WorkerPorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly schedule: Schedule;
  readonly agentStartedAt: number;
  look(worker: ProbeWorker): PodLook | undefined;
  /** Never rejects; the round may have to wait for its turn. */
  round(worker: ProbeWorker): Promise<TimedRound>;
  changed(worker: ProbeWorker, change: Change, round: Round | undefined): void;
  ended(worker: ProbeWorker): void;
}

export interface WorkerParts {
  readonly podUid: string;
  readonly container: string;
  readonly spec: ProbeSpec;
  readonly metrics: WorkerMetrics;
  readonly share: Pick<ScheduleInput, "fraction" | "index">;
  readonly ports: WorkerPorts;
}

const KEPT_OUTPUT = 160;
const KEPT_FAILURES = 3;

export class ProbeWorker implements Job {
  due = 0;
  place = -1;
  state: WorkerState = newWorker;
  last: Finding | undefined;
  /** The newest findings that were no success, oldest first. */
  failures: readonly Finding[] = [];
  readonly latencies = new Latencies();
  /** The stored result that was last published for this container. */
  explained: string | undefined;
  #busy = false;
  #triggered = false;
  #begun = false;
  /** The next step but for triggers, monotonic milliseconds. */
  #planned = 0;
  /** The agent is young and the first step has not come yet. */
  #jitter = false;
  #stopped = false;

  constructor(private readonly parts: WorkerParts) {}

  get podUid(): string {
    return this.parts.podUid;
  }

  get container(): string {
    return this.parts.container;
  }

  get spec(): ProbeSpec {
    return this.parts.spec;
  }

  get metrics(): WorkerMetrics {
    return this.parts.metrics;
  }

  /**
   * Plans the first step. `since`: when the pod came (monotonic milliseconds); steps that were due since then found no
   * container and are left out. Later calls do nothing.
   */
  begin(since: number): void {
    if (this.#begun || this.#stopped) return;
    this.#begun = true;
    const now = this.parts.ports.clock.monotonic();
    const first = this.#next("first", since, since);
    this.#jitter = first > now && since - this.parts.ports.agentStartedAt < this.spec.periodMilliseconds;
    this.#planned = first < now ? this.#next("tick", first, now) : first;
    this.parts.ports.scheduler.at(this, this.#planned);
  }

  /** Asks for a step now; more than one that waits are one. In the jitter of the agent's start the first step must do. */
  trigger(): void {
    if (this.#stopped || !this.#begun || this.#jitter) return;
    this.#triggered = true;
    if (!this.#busy) this.parts.ports.scheduler.at(this, this.parts.ports.clock.monotonic());
  }

  /** The scheduler's call: a step is due. */
  run(): void {
    if (this.#stopped) return;
    const now = this.parts.ports.clock.monotonic();
    const reason = this.#triggered && now < this.#planned ? "trigger" : "tick";
    this.#triggered = false;
    this.#jitter = false;
    this.#planned = this.#next(reason, this.#planned, now);
    this.#busy = true;
    this.#take(next(this.spec, this.state, { type: "look", pod: this.parts.ports.look(this) }));
  }

  /** When the next step is planned, monotonic milliseconds; undefined while one is under way, and before it begins. */
  get nextAt(): number | undefined {
    return this.#busy || this.#stopped || !this.#begun ? undefined : this.due;
  }

  stop(): void {
    this.#stopped = true;
    this.parts.ports.scheduler.cancel(this);
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  #take(step: Step): void {
    this.#apply(step, undefined);
    if (this.#stopped) return;
    if (step.act === "end") this.parts.ports.ended(this);
    else if (step.act === "wait") this.#plan();
    else void this.#probe();
  }

  async #probe(): Promise<void> {
    const { round, milliseconds } = await this.parts.ports.round(this);
    if (this.#stopped) return;
    if (round !== undefined) this.#found(round, milliseconds);
    if (!this.#stopped) this.#plan();
  }

  #found(round: Round, milliseconds: number): void {
    const result = round.error ? "error" : round.result;
    this.last = { at: this.parts.ports.clock.now(), result, output: kept(round.output) };
    if (result !== "success") this.failures = [...this.failures.slice(1 - KEPT_FAILURES), this.last];
    if (round.error) return;
    this.latencies.add(milliseconds);
    this.metrics.probed(round.result, milliseconds / 1000);
    this.#apply(next(this.spec, this.state, { type: "probed", result: round.result }), round);
  }

  #apply({ state, changes }: Step, round: Round | undefined): void {
    if (state.containerId !== this.state.containerId) {
      this.explained = undefined;
      this.failures = [];
    }
    this.state = state;
    for (const change of changes) this.parts.ports.changed(this, change, round);
  }

  #plan(): void {
    this.#busy = false;
    const now = this.parts.ports.clock.monotonic();
    this.parts.ports.scheduler.at(this, this.#triggered ? now : Math.max(now, this.#planned));
  }

  #next(reason: ScheduleInput["reason"], due: number, now: number): number {
    return this.parts.ports.schedule({
      reason,
      now,
      periodMilliseconds: this.spec.periodMilliseconds,
      due,
      agentStartedAt: this.parts.ports.agentStartedAt,
      ...this.parts.share,
    });
  }
}

function kept(output: string): string {
  return output.length > KEPT_OUTPUT ? `${output.slice(0, KEPT_OUTPUT - 1)}…` : output;
}
