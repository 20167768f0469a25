/** What may happen to a file below a root dir: a disk that fails, a hand that slips, an older or a malicious neighbour. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Json } from "@hooklet/core";
import { decodeChecked, encodeChecked } from "@hooklet/core/host";

/** Does it to the file. `outside`: a file beside the root dir that nobody may touch. */
export type Damage = (file: string, outside: string) => void;

const replaced =
  (put: (file: string, outside: string) => void): Damage =>
  (file, outside) => {
    rmSync(file, { recursive: true });
    put(file, outside);
  };

const filled =
  (text: string): Damage =>
  (file) =>
    writeFileSync(file, text);

export const damages: Readonly<Record<string, Damage>> = {
  empty: filled(""),
  "cut in half": (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
  garbage: (file) => writeFileSync(file, Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256))),
  "an empty object": filled("{}"),
  null: filled("null"),
  "a mebibyte of brackets": filled("[".repeat(1024 ** 2)),
  "other types, with a right checksum": (file) => rewrite(file, otherTypes),
  "null, with a right checksum": (file) => rewrite(file, () => null),
  "a list, with a right checksum": (file) => rewrite(file, () => [1, "a", null]),
  "deep nesting, with a right checksum": (file) => rewriteText(file, `${"[".repeat(50_000)}${"]".repeat(50_000)}`),
  gone: (file) => rmSync(file),
  "a folder": replaced((file) => mkdirSync(path.join(file, "in the way"), { recursive: true })),
  "a link to nothing": replaced((file) => symlinkSync("/nowhere/at/all", file)),
  "a link to a file outside": replaced((file, outside) => symlinkSync(outside, file)),
  "mode 000": (file) => chmodSync(file, 0),
  "a FIFO": replaced((file) => execFileSync("mkfifo", [file])),
};

/** Files without a checksum get the text as it is. */
function rewrite(file: string, change: (value: Json) => Json): void {
  const text = readFileSync(file, "utf8");
  try {
    writeFileSync(file, encodeChecked(change(decodeChecked(text))));
  } catch {
    writeFileSync(file, JSON.stringify(change(text)));
  }
}

/** With a payload that JSON.stringify could not make. */
function rewriteText(file: string, payload: string): void {
  const whole = encodeChecked("").split("\n")[0] ?? "";
  const hash = execFileSync("sha256sum", { input: payload }).toString().slice(0, 64);
  const header = whole.replace(/sha256=\w+ bytes=\d+/, `sha256=${hash} bytes=${payload.length}`);
  writeFileSync(file, `${header}\n${payload}`);
}

/** Each number and truth value as text, each text as a number, each list as an object and the other way round. */
function otherTypes(value: Json): Json {
  if (Array.isArray(value)) return { ...value.map(otherTypes) };
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, otherTypes(one)]));
  return typeof value === "string" ? 7 : String(value);
}
