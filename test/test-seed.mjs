// What all tests that try something many times have in common: the seed of what they draw by chance, and how often they try.
import { randomInt } from "node:crypto";

/** What HOOKLET_TEST_SEED asks for: 1 without it; `random` draws one and tells it, for the same run again. */
export function testSeed(given, tell = (text) => process.stderr.write(`${text}\n`)) {
  if (given === undefined) return 1;
  if (given === "random") {
    const seed = randomInt(2 ** 31);
    tell(`HOOKLET_TEST_SEED=${seed}`);
    return seed;
  }
  const seed = Number(given);
  // As fast-check has them: whole, of 32 bits.
  if (!/^-?\d+$/.test(given) || seed !== (seed | 0))
    throw new Error(`HOOKLET_TEST_SEED is ${JSON.stringify(given)}: expected a whole number of 32 bits or "random"`);
  return seed;
}

/**
 * How many of `count` tries a run makes: a fifth, but at least `least`; all of them with HOOKLET_TEST_RUNS=1, as in `npm run test:all`.
 */
export function testRuns(count, least = 10) {
  return Math.max(Math.ceil(count * Number(process.env.HOOKLET_TEST_RUNS ?? 0.2)), Math.min(count, least));
}
