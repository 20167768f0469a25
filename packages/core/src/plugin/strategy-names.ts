/** What the rc file calls the strategies that plugins got. */
import { processWide } from "@hooklet/utils";

/** Process-wide, also for a plugin with its own copy of core: that copy looks up what this one registered. */
const names = processWide("strategy-names", () => new WeakMap<object, string>());

/** What the rc file calls a strategy that `start` got: a built-in's name, or the file or package it came from. */
export function strategyName(strategy: object): string | undefined {
  return names.get(strategy);
}

export function nameStrategy(strategy: object, name: string): void {
  names.set(strategy, name);
}
