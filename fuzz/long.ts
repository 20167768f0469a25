/** Inputs in which one part of a seed comes over and over: what costs more than its length shows in them. Pure. */

/** Long inputs of a target; of more, every so manieth is taken. */
const MOST = 6_000;

/** A part that may come any number of times; `part(i)` is its i-th coming. */
export interface Long {
  readonly before: Buffer;
  part(i: number): Buffer;
  readonly after: Buffer;
}

/** The input with as many parts as make it at least `bytes` long. */
export function ofLength({ before, part, after }: Long, bytes: number): Buffer {
  const parts: Buffer[] = [before];
  let length = before.length + after.length;
  for (let i = 0; length < bytes; i++) {
    const one = part(i);
    if (one.length === 0) break;
    parts.push(one);
    length += one.length;
  }
  return Buffer.concat([...parts, after]);
}

/** All that comes over and over in seeds: the same for the same seeds. */
export function longs(seeds: readonly Uint8Array[]): readonly Long[] {
  const all = new Map<string, Long>();
  for (const seed of seeds.map((one) => Buffer.from(one))) {
    for (const [name, long] of [...wholes(seed), ...words(seed), ...lines(seed), ...members(seed)]) {
      if (!all.has(name)) all.set(name, long);
    }
  }
  const each = [...all.values()];
  const count = Math.min(MOST, each.length);
  return Array.from({ length: count }, (_, index) => each[Math.floor((index * each.length) / count)] as Long);
}

type Named = readonly [name: string, long: Long];

/** The whole seed, all but its first byte (a CRI answer's says which one), documents. */
function* wholes(seed: Buffer): Generator<Named> {
  const nothing = Buffer.alloc(0);
  for (const from of [0, 1]) {
    const part = seed.subarray(from);
    yield [`whole ${from} ${text(seed)}`, { before: seed.subarray(0, from), part: () => part, after: nothing }];
  }
  const document = Buffer.concat([Buffer.from("\n---\n"), seed]);
  yield [`documents ${text(seed)}`, { before: seed, part: () => document, after: nothing }];
}

/** Each run of letters, or of other signs: what follows it up to the end of the string or the line is kept, or not. */
function* words(seed: Buffer): Generator<Named> {
  let last = "";
  for (const { 0: word, index } of text(seed).matchAll(/[A-Za-z0-9]+|[^A-Za-z0-9\s]+|\s+/g)) {
    const end = index + word.length;
    const [before, part, after] = [seed.subarray(0, index), Buffer.from(word, "latin1"), seed.subarray(end)];
    const cut = text(after).search(/["\r\n]/);
    yield [`word ${last} ${word}`, { before, part: () => part, after }];
    if (cut > 0) yield [`last word ${last} ${word}`, { before, part: () => part, after: after.subarray(cut) }];
    last = word;
  }
}

/** Each line, its numbers counted up. */
function* lines(seed: Buffer): Generator<Named> {
  let at = 0;
  for (const line of text(seed).split(/(?<=\n)/)) {
    const [before, after] = [seed.subarray(0, at), seed.subarray(at)];
    at += line.length;
    if (!line.endsWith("\n") || line.trim() === "") continue;
    yield [`line ${line}`, { before, part: (i) => Buffer.from(counted(line, i), "latin1"), after }];
  }
}

function counted(line: string, by: number): string {
  return line.replaceAll(/\d{1,9}/g, (number) => String(Number(number) + by));
}

/** Each list of a JSON text with more like its last item, each object with more like its last field: the same, and with names of their own. */
function* members(seed: Buffer): Generator<Named> {
  if (seed[0] !== 0x7b) return;
  let value: unknown;
  try {
    value = JSON.parse(seed.toString("utf8"));
  } catch {
    return;
  }
  for (const path of paths(value, [])) {
    const name = path.map((key) => (typeof key === "number" ? "*" : key)).join(".");
    const mark = { "\u0001": 0 };
    const list = at(value, path);
    const last: unknown = Array.isArray(list) ? list.at(-1) : Object.values(list as object).at(-1);
    if (last === undefined) continue;
    const key = Array.isArray(list) ? list.length : "\u0001";
    const whole = JSON.stringify(set(value, [...path, key], Array.isArray(list) ? mark : 0));
    const hole = Array.isArray(list) ? `,${JSON.stringify(mark)}` : ',"\\u0001":0';
    const [before, after] = whole.split(hole).map((one) => Buffer.from(one)) as [Buffer, Buffer];
    const part = (own: boolean) => (i: number) =>
      Buffer.from(
        Array.isArray(list)
          ? `,${JSON.stringify(own ? renamed(last, i) : last)}`
          : `,"k${own ? i : 0}":${JSON.stringify(last)}`,
      );
    yield [`same members ${name}`, { before, part: part(false), after }];
    yield [`own members ${name}`, { before, part: part(true), after }];
  }
}

type Path = readonly (string | number)[];

/** The lists and objects of a value that are not empty. */
function* paths(value: unknown, path: Path): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  const entries = Object.entries(value);
  if (entries.length > 0) yield path;
  for (const [key, one] of entries) yield* paths(one, [...path, Array.isArray(value) ? Number(key) : key]);
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((one, key) => (one as Record<string | number, unknown>)[key], value);
}

function set(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value)) return value.toSpliced(Number(key), 1, set(value[Number(key)], rest, to));
  const object = value as Record<string, unknown>;
  return { ...object, [key]: set(object[key], rest, to) };
}

/** What must differ among the members of a list. */
const OWN = /^(name|key|path|mountPath|devicePath|containerPort|hostPort|at)$/;

function renamed(value: unknown, by: number): unknown {
  if (typeof value === "string") return `${value}${by}`;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (typeof one === "object") return [key, one];
      if (!OWN.test(key)) return [key, one];
      return [key, typeof one === "number" ? one + by : `${one}${by}`];
    }),
  );
}

/** One letter a byte. */
function text(bytes: Buffer): string {
  return bytes.toString("latin1");
}
