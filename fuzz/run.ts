/**
 * `pnpm fuzz [TARGET...] [--seconds S | --inputs N] [--seed N]`: feeds what takes bytes from outside with inputs made of seeds. A crash, an input
 * that takes more than a second, a heap that grows without bound is a failure; its input becomes a case, which `npm test` replays.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { CASES, caseName } from "./cases.js";
import { inputOf } from "./mutate.js";
import { TARGETS } from "./targets/table.js";
import { type Findings, fuzz } from "./watch.js";

/** Seconds in all, when nothing else is said: what CI has for it. */
const SECONDS = 120;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string" }, inputs: { type: "string" }, seed: { type: "string" } },
});
const number = (name: keyof typeof values, otherwise: number): number => {
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
const seconds = number("seconds", total === undefined ? SECONDS : 24 * 3600);
const weights = chosen.reduce((sum, { weight }) => sum + weight, 0);

console.log(`fuzz --seed ${seed}`);
const rows: Record<string, string | number>[] = [];
let failures = 0;
for (const target of chosen) {
  const inputs = total === undefined ? 2 ** 31 - 1 : Math.ceil((total * target.weight) / weights);
  const milliseconds = (seconds * 1000) / (total === undefined ? chosen.length : 1);
  const found = await fuzz({ target: target.name, seed, inputs, milliseconds });
  rows.push(row(target.name, found));
  failures += found.failures.length;
  for (const { index, error } of found.failures) {
    const where = index < 0 ? "" : ` ${keep(target.name, index)}`;
    console.error(`\n${target.name}, input ${index}:${where}\n${error}`);
  }
}
console.table(rows);
const sum = rows.reduce((count, { inputs }) => count + Number(inputs), 0);
console.log(`${sum} inputs, ${failures} failures`);
process.exit(failures > 0 ? 1 : 0);

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
    "slowest ms": slowest.milliseconds.toFixed(0),
    "of bytes": slowest.bytes,
    "heap grown MiB": (growth / 1024 ** 2).toFixed(1),
  };
}

/** Writes the input where the tests find it. */
function keep(name: string, index: number): string {
  const target = TARGETS.find((one) => one.name === name);
  const input = inputOf(seed, index, target?.seeds() ?? []);
  const folder = path.join(CASES, caseName(name));
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `seed-${seed}-${index}`);
  writeFileSync(file, input);
  return path.relative(process.cwd(), file);
}
