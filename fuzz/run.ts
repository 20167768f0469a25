/**
 * `pnpm fuzz [TARGET...] [--seconds S | --inputs N] [--seed N]`: feeds what takes bytes from outside with inputs made of seeds.
 * A crash, an input that costs more than its target allows for its length or more than a second, a cost that grows like the square of the
 * length, a heap that grows without bound is a failure; its input becomes a case, which `npm test` replays. All time is CPU time, of all
 * targets together, each of which has a process of its own. With `--seconds` and `--inputs` both are reached.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { CASES, caseName } from "./cases.js";
import { fuzzed } from "./each.js";
import { Inputs } from "./inputs.js";
import type { Target } from "./target.js";
import { TARGETS } from "./targets/table.js";
import type { Findings } from "./watch.js";

/** Seconds of CPU in all, when nothing else is said. */
const SECONDS = 120;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string" },
    inputs: { type: "string" },
    seed: { type: "string" },
  },
});
const number = (name: "seconds" | "inputs" | "seed", otherwise: number): number => {
  const text = values[name];
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name}: expected a whole number, found ${text}`);
  process.exit(2);
};
const chosen = TARGETS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.find((name) => !TARGETS.some((target) => target.name === name));
if (unknown !== undefined) {
  console.error(`no target "${unknown}"; there are ${TARGETS.map(({ name }) => `"${name}"`).join(", ")}`);
  process.exit(2);
}
const seed = number("seed", Math.floor(Math.random() * 2 ** 31));
const total = values.inputs === undefined ? undefined : number("inputs", 0);
const seconds = number("seconds", total === undefined ? SECONDS : 0);
const weights = chosen.reduce((sum, { weight }) => sum + weight, 0);

console.log(`fuzz --seed ${seed}`);
const found = await Promise.all(chosen.map(async (target) => ({ target, ...(await run(target)) })));
console.table(found.map(({ target, ...one }) => row(target.name, one)));
const inputs = found.reduce((count, one) => count + one.inputs, 0);
const failures = found.reduce((count, one) => count + one.failures.length, 0);
console.log(`${inputs} inputs, ${failures} failures`);
process.exit(failures > 0 ? 1 : 0);

async function run(target: Target): Promise<Findings> {
  const share = target.weight / weights;
  const least = Math.ceil((total ?? 0) * share);
  const one = await fuzzed({ target: target.name, seed, from: 0, least, milliseconds: seconds * 1000 * share });
  for (const { index, error } of one.failures) {
    const where = index < 0 ? "" : ` ${keep(target, index)}`;
    console.error(`\n${target.name}, input ${index}:${where}\n${error}`);
  }
  return one;
}

function row(target: string, found: Findings): Record<string, string | number> {
  const { inputs, accepted, bytes, milliseconds, slowest, growth } = found;
  return {
    target,
    inputs,
    accepted,
    refused: inputs - accepted,
    failures: found.failures.length,
    MiB: (bytes / 1024 ** 2).toFixed(1),
    "us/input": ((milliseconds * 1000) / Math.max(1, inputs)).toFixed(0),
    "ns/byte": ((milliseconds * 1e6) / Math.max(1, bytes)).toFixed(0),
    "costliest ms": slowest.milliseconds.toFixed(0),
    "of bytes": slowest.bytes,
    "of what is allowed": `${(slowest.excess * 100).toFixed(0)} %`,
    "heap grown MiB": (growth / 1024 ** 2).toFixed(1),
  };
}

/** Writes the input where the tests find it. */
function keep({ name, seeds }: Target, index: number): string {
  const input = new Inputs(seed, seeds()).at(index);
  const folder = path.join(CASES, caseName(name));
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `seed-${seed}-${index}`);
  writeFileSync(file, input);
  return path.relative(process.cwd(), file);
}
