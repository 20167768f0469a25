/** New inputs out of seeds: bytes cut, doubled, flipped and joined; objects with a field more, less or odd. Deterministic. */
import { Random } from "./random.js";
import { ODD_TOKENS, ODD_VALUES } from "./values.js";

/** Bytes; a text that grows is cut there. Long enough to tell quadratic from linear. */
const LONGEST = 128 * 1024;

/** The input of a number: first the seeds themselves. */
export function inputOf(seed: number, index: number, seeds: readonly Uint8Array[]): Buffer {
  return index < seeds.length ? Buffer.from(seeds[index] as Uint8Array) : mutate(new Random(seed, index), seeds, 1);
}

/** `times`: how much longer what comes over and over is. */
export function mutate(random: Random, seeds: readonly Uint8Array[], times: number): Buffer {
  const seed = Buffer.from(random.pick(seeds));
  if (random.chance(0.005)) return repeated(random, seed, times);
  const object = random.chance(0.5) ? parsed(seed) : undefined;
  const changes = 1 + random.small(8);
  if (object !== undefined) {
    let value: unknown = object;
    for (let i = 0; i < changes; i++) value = changed(random, value, 0);
    return Buffer.from(JSON.stringify(value) ?? "");
  }
  let bytes: Buffer = seed;
  for (let i = 0; i < changes; i++) bytes = cut(random, bytes, seeds);
  return bytes.subarray(0, LONGEST);
}

function parsed(bytes: Buffer): object | undefined {
  if (bytes[0] !== 0x7b) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A part over and over: what is quadratic shows. */
function repeated(random: Random, seed: Buffer, longer: number): Buffer {
  const at = random.below(seed.length);
  const part = random.chance(0.5) ? random.pick(ODD_TOKENS) : seed.subarray(at, at + 1 + random.small(64));
  const times = Math.floor(LONGEST / (4 * Math.max(1, part.length))) * random.pick([1, 2, 4]);
  const many = Buffer.concat(Array<Buffer>(Math.max(1, times) * longer).fill(part));
  return Buffer.concat([seed.subarray(0, at), many, seed.subarray(at)]).subarray(0, LONGEST * longer);
}

function cut(random: Random, bytes: Buffer, seeds: readonly Uint8Array[]): Buffer {
  const at = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random.small(40));
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, part, part, after]);
    case 2:
      return Buffer.concat([before, random.pick(ODD_TOKENS), after]);
    case 3:
      return Buffer.concat([before, random.pick(ODD_TOKENS), part, after]);
    case 4: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = (flipped[at] as number) ^ (1 << random.below(8));
      return flipped;
    }
    case 5: {
      const other = random.pick(seeds);
      const from = random.below(other.length);
      return Buffer.concat([before, other.subarray(from, from + 1 + random.small(200)), after]);
    }
    default:
      return Buffer.concat([before, Buffer.of(random.below(256)), after]);
  }
}

/** The value with one place in it changed. */
function changed(random: Random, value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || (depth > 0 && random.chance(0.15))) return odd(random, value);
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0 || random.chance(0.1)) {
    const key = random.chance(0.5) ? `x${random.below(9)}` : String(random.pick(ODD_VALUES.filter(isText)));
    return isList ? [...value, random.pick(ODD_VALUES)] : { ...value, [key]: random.pick(ODD_VALUES) };
  }
  const chosen = random.below(entries.length);
  const [key, one] = entries[chosen] as [string, unknown];
  if (random.chance(0.1)) return rebuilt(isList, entries.toSpliced(chosen, 1));
  if (isList && random.chance(0.1)) return [...value, one, one];
  return rebuilt(isList, entries.with(chosen, [key, changed(random, one, depth + 1)]));
}

function rebuilt(isList: boolean, entries: readonly [string, unknown][]): unknown {
  return isList ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

function odd(random: Random, value: unknown): unknown {
  if (typeof value === "string" && random.chance(0.5)) {
    const at = random.below(value.length + 1);
    return value.slice(0, at) + String(random.pick(ODD_TOKENS)) + value.slice(at + random.below(3));
  }
  if (typeof value === "number" && random.chance(0.5)) return value * random.pick([-1, 0, 0.5, 1e9, 2 ** 40]);
  return random.pick(ODD_VALUES);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
