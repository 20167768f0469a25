/** Parses a manifest into documents: lists unpacked, kinds checked. Fields are validated later. */

import { ManifestError, type ManifestFault } from "./error.js";
import { isRecord, kindOfValue } from "./is-record.js";
import { readDocuments, type TextDocument } from "./yaml.js";

/** Far more than a node can run; a guard against nonsense. */
const MAX_PODS = 10_000;

/** Kinds that a manifest may hold, and the kinds of their lists. */
const LISTS = { Pod: "PodList", ConfigMap: "ConfigMapList", Secret: "SecretList" } as const;

export type ManifestKind = keyof typeof LISTS;

export interface ManifestDocument {
  readonly kind: ManifestKind;
  /** An object of this kind, otherwise unchecked. */
  readonly object: Readonly<Record<string, unknown>>;
  /** Line (from 1) of the deepest part of the path that exists. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/**
 * Reads YAML (one or more documents) or JSON, of these kinds and lists of them, from a file, URL or request called `where`.
 * @throws ManifestError with all faults; no other error for any bytes whatsoever
 */
export async function parseManifest(
  source: Uint8Array | string,
  where: string,
  kinds: readonly ManifestKind[] = ["Pod"],
): Promise<readonly ManifestDocument[]> {
  return unpacked(await readDocuments(manifestText(source, where), where), where, kinds);
}

/** As `parseManifest`, of an object that was a text before, or never. */
export function parsedObject(
  value: unknown,
  where: string,
  kinds: readonly ManifestKind[] = ["Pod"],
): readonly ManifestDocument[] {
  return unpacked([{ value, lineOf: () => undefined }], where, kinds);
}

function unpacked(
  documents: readonly TextDocument[],
  where: string,
  kinds: readonly ManifestKind[],
): readonly ManifestDocument[] {
  const unpacker = new Unpacker(kinds);
  if (documents.length === 0)
    throw new ManifestError(where, [{ message: `it is empty; expected a ${kinds.join(" or ")}, or a list of them` }]);
  for (const document of documents) unpacker.unpack(document);
  const { documents: found, faults } = unpacker;
  if (found.length > MAX_PODS) faults.push({ message: `more than ${MAX_PODS} pods; split the file up` });
  if (faults.length > 0) throw new ManifestError(where, faults.slice(0, 100));
  return found;
}

/** What is wrong, and with which field. */
type Problem = readonly [message: string, field?: string];

class Unpacker {
  readonly documents: ManifestDocument[] = [];
  readonly faults: ManifestFault[] = [];

  constructor(private readonly kinds: readonly ManifestKind[]) {}

  unpack({ value, lineOf }: TextDocument): void {
    const problem = problemOf(value, ["List", ...this.kinds.flatMap((kind) => [kind, LISTS[kind]])]);
    if (problem !== undefined) {
      this.#fault(problem, [], lineOf);
      return;
    }
    const object = value as Record<string, unknown>;
    const kind = this.kinds.find((one) => one === object.kind);
    if (kind !== undefined) this.documents.push({ kind, object, lineOf });
    else this.#items(object, lineOf);
  }

  #items(list: Record<string, unknown>, lineOf: TextDocument["lineOf"]): void {
    const items: unknown = list.items ?? [];
    if (!Array.isArray(items)) {
      this.#fault(["items: Invalid value: expected a list of Pods", "items"], [], lineOf);
      return;
    }
    // The items of a list of one kind need not say again what they are.
    const listed = this.kinds.find((kind) => LISTS[kind] === list.kind);
    const implied = listed === undefined ? {} : { apiVersion: "v1", kind: listed };
    for (const [i, value] of items.slice(0, MAX_PODS + 1).entries()) {
      const item: unknown = isRecord(value) ? { ...implied, ...value } : value;
      const problem = problemOf(item, listed === undefined ? this.kinds : [listed]);
      if (problem !== undefined) this.#fault(problem, ["items", i], lineOf);
      else {
        const object = item as Record<string, unknown>;
        this.documents.push({
          kind: object.kind as ManifestKind,
          object,
          lineOf: (path) => lineOf(["items", i, ...path]),
        });
      }
    }
  }

  #fault([message, field]: Problem, base: readonly (string | number)[], lineOf: TextDocument["lineOf"]): void {
    const path = field === undefined ? base : [...base, field];
    const line = lineOf(path);
    const at = base.length > 0 ? `items[${base[1]}]: ` : "";
    this.faults.push({ ...(line !== undefined && { line }), message: `${at}${message}` });
  }
}

function problemOf(value: unknown, kinds: readonly string[]): Problem | undefined {
  if (!isRecord(value)) return [`expected a Kubernetes object of kind Pod, found ${kindOfValue(value)}`];
  const { kind, apiVersion } = value;
  if (kind === undefined || kind === null) return ["kind: Required value: expected Pod"];
  if (typeof kind !== "string" || !kinds.includes(kind)) {
    const known = kinds.map((one) => JSON.stringify(one)).join(", ");
    return [`kind: Unsupported value: ${short(kind)}: supported values: ${known}`, "kind"];
  }
  if (apiVersion === undefined || apiVersion === null) return ["apiVersion: Required value: expected v1"];
  if (apiVersion !== "v1") {
    return [`apiVersion: Unsupported value: ${short(apiVersion)}: supported values: "v1"`, "apiVersion"];
  }
  return undefined;
}

function short(value: unknown): string {
  const text = typeof value === "object" ? "an object" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

// The bytes of a manifest as text.

export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024;

/** UTF-8 without its byte order mark. Throws ManifestError for other encodings, NUL bytes and more than 10 MiB. */
function manifestText(source: Uint8Array | string, where: string): string {
  const bytes = typeof source === "string" ? Buffer.from(source) : source;
  if (bytes.length > MAX_MANIFEST_BYTES) {
    throw new ManifestError(where, [
      { message: `the manifest has ${bytes.length} bytes; expected at most ${MAX_MANIFEST_BYTES}` },
    ]);
  }
  const text = decode(bytes, where);
  const nul = text.indexOf("\0");
  if (nul >= 0) {
    throw new ManifestError(where, [{ line: lineAt(text, nul), message: "a NUL byte; expected a text in UTF-8" }]);
  }
  return text;
}

function decode(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const readable = new TextDecoder("utf-8").decode(bytes);
    const line = lineAt(readable, readable.indexOf("\ufffd"));
    throw new ManifestError(where, [{ line, message: "not UTF-8; expected a text in UTF-8" }]);
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, Math.max(0, offset)).split("\n").length;
}
