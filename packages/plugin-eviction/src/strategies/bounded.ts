/** A strategy runs in the agent's own thread: one that does not come back is broken off, or it would hold up the whole node. */
import { createContext, Script } from "node:vm";
import type { Ranked, RankingStrategy } from "../strategy.js";

/** Milliseconds; ranking 10 000 pods takes about ten. */
const LIMIT = 1000;
const script = new Script("rank()");

/** The strategy, which throws when it has not answered within the limit. */
export function bounded(strategy: RankingStrategy, limit = LIMIT): RankingStrategy {
  let work = (): void => {};
  // Making a context takes longer than ranking a hundred pods.
  const context = createContext({ rank: () => work() });
  return (input) => {
    let answer: readonly Ranked[] = [];
    work = () => {
      answer = strategy(input);
    };
    script.runInContext(context, { timeout: limit });
    return answer;
  };
}
