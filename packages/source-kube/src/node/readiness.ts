/** Why the node takes no pods. Pure but for the time, which is passed in. */

/** Milliseconds that a runtime may be silent before its node is not ready. */
const SILENT = 30_000;

export class RuntimeHealth {
  #wellAt: number | undefined;

  /** `message`: the fault of the runtime, undefined when it has none; `now`: monotonic milliseconds. */
  heard(message: string | undefined, now: number): readonly string[] {
    if (message === undefined) {
      this.#wellAt = now;
      return [];
    }
    if (this.#wellAt === undefined) return [`container runtime status check may not have completed yet: ${message}`];
    return now - this.#wellAt > SILENT ? [`container runtime is down: ${message}`] : [];
  }
}
