/** What may happen to a file below a root dir: a disk that fails, a hand that slips, an older or a malicious neighbour. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { Json } from "@hooklet/core";
import { decodeChecked, encodeChecked } from "@hooklet/linux";

/** Does it to the file. `outside`: a path beside the root dir for what the damage needs there; nothing else may touch it. */
type Damage = (file: string, outside: string) => void;

export const damages = {
  empty: filled(""),
  "cut in half": (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  garbage: filled(Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256))),
  "an empty object": filled("{}"),
  null: filled("null"),
  "a mebibyte of brackets": filled("[".repeat(1024 ** 2)),
  "other types, with a right checksum": changed(otherTypes),
  "null, with a right checksum": changed(() => null),
  "a list, with a right checksum": changed(() => [1, "a", null]),
  "deep nesting, with a right checksum": (file) => writeFileSync(file, withChecksum(nested(50_000))),
  gone: (file) => rmSync(file),
  "a directory": replaced((file) => mkdirSync(path.join(file, "in the way"), { recursive: true })),
  "a link to nothing": replaced((file) => symlinkSync("/nowhere/at/all", file)),
  "a link to a file outside": (file, outside) => {
    // What it held: following the link shows nothing wrong.
    copyFileSync(file, outside);
    chmodSync(outside, 0o640);
    replaced(() => symlinkSync(outside, file))(file, outside);
  },
  "mode 000": (file) => chmodSync(file, 0),
  "a FIFO": replaced((file) => execFileSync("mkfifo", [file])),
} satisfies Record<string, Damage>;

export type DamageName = keyof typeof damages;

export const damageNames = Object.keys(damages) as readonly DamageName[];

function filled(content: string | Buffer): Damage {
  return (file) => writeFileSync(file, content);
}

function replaced(put: (file: string) => void): Damage {
  return (file) => {
    rmSync(file);
    put(file);
  };
}

/** Of a file without a checksum the whole text counts as the value. */
function changed(change: (value: Json) => Json): Damage {
  return (file) => {
    const text = readFileSync(file, "utf8");
    writeFileSync(file, changedText(text, change));
  };
}

function changedText(text: string, change: (value: Json) => Json): string {
  try {
    return encodeChecked(change(decodeChecked(text)));
  } catch {
    return JSON.stringify(change(text));
  }
}

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** For a payload that JSON.stringify has no stack to make. */
function withChecksum(payload: string): string {
  const [header = ""] = encodeChecked("").split("\n");
  const checksum = createHash("sha256").update(payload).digest("hex");
  return `${header.replace(/sha256=\w+ bytes=\d+/, `sha256=${checksum} bytes=${payload.length}`)}\n${payload}`;
}

/** Each number and truth value as text, each text as a number, each list as an object. */
function otherTypes(value: Json): Json {
  if (Array.isArray(value)) return { ...value.map(otherTypes) };
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, otherTypes(one)]));
  return typeof value === "string" ? 7 : String(value);
}
