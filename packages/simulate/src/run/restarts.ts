/** Whether it matters when the agent is restarted: the scenario again, with a restart at each time at which something happened. */

import type { FinalState, SimulationRecord } from "../records/record.js";

/** Times in milliseconds, ascending, each once. A probe that succeeds again is no event. */
export class EventTimes {
  readonly #times = new Set<number>();

  add(record: SimulationRecord): void {
    if (record.kind === "probe.result" && record.result === "success") return;
    this.#times.add(Math.round(record.t * 1000));
  }

  list(): readonly number[] {
    return [...this.#times].sort((a, b) => a - b);
  }
}

/** What of the end is another with a restart; empty: nothing. */
export function stateDifferences(without: FinalState, with_: FinalState): readonly string[] {
  return [
    ...listDifferences(without.pods, with_.pods, ({ pod }) => pod),
    ...listDifferences(without.images, with_.images, (image) => image),
    ...listDifferences(without.devices, with_.devices, ({ device }) => device),
  ];
}

function listDifferences<One>(
  before: readonly One[],
  after: readonly One[],
  nameOf: (one: One) => string,
): readonly string[] {
  const old = new Map(before.map((one) => [nameOf(one), JSON.stringify(one)]));
  const now = new Map(after.map((one) => [nameOf(one), JSON.stringify(one)]));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) =>
    old.get(name) === now.get(name)
      ? []
      : [`${name}: expected ${old.get(name) ?? "none"}, found ${now.get(name) ?? "none"}`],
  );
}
