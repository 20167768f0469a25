/** Where all that happens is written down, in its order. */
import { USUAL_ROOT_DIR } from "@hooklet/core/base";
import type { VirtualClock } from "@hooklet/sim";
import { type Happening, type SimulationRecord, seconds } from "./record.js";

export class Recorder {
  readonly #listeners: ((record: SimulationRecord) => void)[] = [];
  readonly #began: number;

  constructor(
    private readonly clock: VirtualClock,
    private readonly rootDir: string,
  ) {
    this.#began = clock.monotonic();
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.clock.monotonic() - this.#began;
  }

  listen(listener: (record: SimulationRecord) => void): void {
    this.#listeners.push(listener);
  }

  add(happening: Happening): void {
    const record = { t: seconds(this.now), ...happening } as SimulationRecord;
    const named = this.#usual(record);
    for (const listener of this.#listeners) listener(named);
  }

  /** A folder that differs from run to run has no place in what is compared. */
  #usual(record: SimulationRecord): SimulationRecord {
    if (record.kind === "probe.result" || record.kind === "cgroup.written") return record;
    const text = JSON.stringify(record);
    return text.includes(this.rootDir) ? JSON.parse(text.replaceAll(this.rootDir, USUAL_ROOT_DIR)) : record;
  }
}
