/** A run as lanes over time: what pods were at, what happened to them, who had which device. Pure. */
import { textOf } from "../print/lines.js";
import type { SimulationRecord } from "../records/record.js";

/** Seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly state: string;
}

export interface Mark {
  readonly t: number;
  readonly kind: "probe" | "restart" | "killed" | "evicted" | "rejected" | "oom";
  readonly text: string;
}

export interface Lane {
  readonly name: string;
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
}

export interface LaneTable {
  readonly pods: readonly Lane[];
  readonly devices: readonly Lane[];
  /** Pods that did not fit. */
  readonly hidden: number;
}

/** More lanes than a reader needs, and marks of one lane. */
const MAX_LANES = 300;
const MAX_MARKS = 500;

class Open {
  readonly spans: Span[] = [];
  readonly marks: Mark[] = [];
  state: string | undefined;
  since = 0;

  enter(t: number, state: string | undefined): void {
    if (state === this.state) return;
    if (this.state !== undefined && t > this.since) this.spans.push({ from: this.since, to: t, state: this.state });
    this.state = state;
    this.since = t;
  }
}

/** Takes the records of a run. */
export class Lanes {
  readonly #pods = new Map<string, Open>();
  readonly #devices = new Map<string, Open>();
  /** Devices by pod. */
  readonly #held = new Map<string, Set<string>>();
  readonly #hidden = new Set<string>();

  add(record: SimulationRecord): void {
    const { t } = record;
    switch (record.kind) {
      case "pod.applied":
        this.#lane(record.pod)?.enter(t, "waiting");
        break;
      case "container.started":
      case "container.restarted":
        this.#started(record.pod, t);
        if (record.kind === "container.restarted") this.#mark(record.pod, record, "restart");
        break;
      case "pod.ready":
        this.#readied(record.pod, record.ready, t);
        break;
      case "pod.phase":
        this.#phase(record.pod, record.phase, t);
        break;
      case "pod.removed":
        this.#lane(record.pod)?.enter(t, undefined);
        this.#freed(record.pod, t);
        break;
      case "pod.rejected":
        this.#mark(record.pod, record, "rejected");
        break;
      case "pod.evicted":
      case "pod.preempted":
        this.#mark(record.pod, record, "evicted");
        break;
      case "container.exited":
        this.#mark(record.pod, record, record.reason === "OOMKilled" ? "oom" : "killed");
        break;
      case "container.killed":
        this.#mark(record.pod, record, "killed");
        break;
      case "probe.result":
        if (record.result !== "success") this.#mark(record.pod, record, "probe");
        break;
      case "device.allocated":
        for (const id of record.ids) this.#allocated(`${record.resource}/${id}`, record.pod, t);
        break;
      default:
    }
  }

  /** @param until the run's end, seconds */
  table(until: number): LaneTable {
    const closed = (lanes: ReadonlyMap<string, Open>): Lane[] =>
      [...lanes].map(([name, lane]) => {
        lane.enter(until, undefined);
        return { name, spans: lane.spans, marks: lane.marks };
      });
    return { pods: closed(this.#pods), devices: closed(this.#devices), hidden: this.#hidden.size };
  }

  #lane(pod: string): Open | undefined {
    const known = this.#pods.get(pod);
    if (known !== undefined) return known;
    if (this.#pods.size >= MAX_LANES) {
      this.#hidden.add(pod);
      return undefined;
    }
    const made = new Open();
    this.#pods.set(pod, made);
    return made;
  }

  #started(pod: string, t: number): void {
    const lane = this.#lane(pod);
    if (lane?.state === "waiting") lane.enter(t, "not ready");
  }

  /** One that has ended is not ready either, which is no news. */
  #readied(pod: string, ready: boolean, t: number): void {
    const lane = this.#lane(pod);
    if (lane?.state !== "failed" && lane?.state !== "succeeded") lane?.enter(t, ready ? "ready" : "not ready");
  }

  #phase(pod: string, phase: string, t: number): void {
    if (phase !== "Failed" && phase !== "Succeeded") return;
    this.#lane(pod)?.enter(t, phase.toLowerCase());
    this.#freed(pod, t);
  }

  #mark(pod: string, record: SimulationRecord, kind: Mark["kind"]): void {
    const lane = this.#lane(pod);
    if (lane !== undefined && lane.marks.length < MAX_MARKS)
      lane.marks.push({ t: record.t, kind, text: textOf(record) });
  }

  #allocated(device: string, pod: string, t: number): void {
    const lane = this.#devices.get(device) ?? new Open();
    this.#devices.set(device, lane);
    lane.enter(t, pod);
    this.#held.set(pod, (this.#held.get(pod) ?? new Set()).add(device));
  }

  #freed(pod: string, t: number): void {
    for (const device of this.#held.get(pod) ?? []) {
      const lane = this.#devices.get(device);
      if (lane?.state === pod) lane.enter(t, undefined);
    }
    this.#held.delete(pod);
  }
}
