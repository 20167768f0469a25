// The seed of everything that tests draw by chance: property tests (seed.mjs) and the points of kills (e2e/cri-kill-nine.test.ts).
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
