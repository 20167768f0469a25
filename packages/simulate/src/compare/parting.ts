/** Where two runs of one scenario part. Pure. */
import { subjectOf, textOf } from "../print/lines.js";
import type { SimulationRecord } from "../records/record.js";

/** One thing that happened, as far as two runs can differ in it. */
export interface Milestone {
  readonly t: number;
  readonly text: string;
}

/** More than this is not kept: two runs that have gone the same way for so long count as the same. */
const MAX_KEPT = 1_000_000;

/** Takes the records of a run. How a strategy words its decisions is no difference, what it does is. */
export class Way {
  readonly milestones: Milestone[] = [];
  readonly #decisions = new Map<number, string[]>();

  add(record: SimulationRecord): void {
    if (this.milestones.length >= MAX_KEPT) return;
    if (record.kind === "decision") {
      const own = this.#decisions.get(record.t) ?? [];
      own.push(`${record.subject}: ${record.outcome}`);
      this.#decisions.set(record.t, own);
      return;
    }
    if (record.kind === "cgroup.written" || record.kind === "event") return;
    if (record.kind === "probe.result" && record.result === "success") return;
    this.milestones.push({ t: record.t, text: `${subjectOf(record)} ${textOf(record)}` });
  }

  /** What was decided at this moment. */
  decisionsAt(t: number): readonly string[] {
    return this.#decisions.get(t) ?? [];
  }
}

export interface Parting {
  /** Seconds: the earlier of the two. */
  readonly t: number;
  /** Undefined: nothing more happens there. */
  readonly first: Milestone | undefined;
  readonly second: Milestone | undefined;
}

/** The first thing that is not the same; undefined: there is none. */
export function partingOf(first: Way, second: Way): Parting | undefined {
  const [a, b] = [first.milestones, second.milestones];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [one, other] = [a[index], b[index]];
    if (one !== undefined && other !== undefined && one.t === other.t && one.text === other.text) continue;
    return {
      t: Math.min(one?.t ?? Number.POSITIVE_INFINITY, other?.t ?? Number.POSITIVE_INFINITY),
      first: one,
      second: other,
    };
  }
  return undefined;
}
