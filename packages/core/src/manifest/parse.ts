/** A manifest's text into pods-to-be: documents, lists unpacked, kinds checked. Their fields are not looked at yet. */
import { ManifestError, type ManifestFault } from "./error.js";
import { manifestText } from "./text.js";
import { readDocuments } from "./yaml.js";

/** Far more than a node can run; a guard against nonsense. */
const MAX_PODS = 10_000;

export interface ManifestDocument {
  /** An object of kind Pod, otherwise unchecked. */
  readonly pod: Readonly<Record<string, unknown>>;
  /** Line (from 1) of the deepest part of the path that exists. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

const KINDS = ["List", "Pod", "PodList"];

/**
 * Reads YAML (one or more documents) or JSON, of kind Pod, List or PodList, from a file, URL or request called `where`.
 * @throws ManifestError with all faults; no other error for any bytes whatsoever
 */
export async function parseManifest(source: Uint8Array | string, where: string): Promise<readonly ManifestDocument[]> {
  const documents = await readDocuments(manifestText(source, where), where);
  const pods: ManifestDocument[] = [];
  const faults: ManifestFault[] = [];
  for (const { value, lineOf } of documents) {
    const unpack = (item: unknown, base: readonly (string | number)[], inPodList: boolean): void => {
      const at = (message: string, field?: string): void => {
        const line = lineOf(field === undefined ? base : [...base, field]);
        const path = [...base, field].filter((part) => part !== undefined).join(".");
        faults.push({ ...(line !== undefined && { line }), ...(path !== "" && { path }), message });
      };
      if (!isObject(item)) return at(`expected a Kubernetes object of kind Pod, found ${nameOf(item)}`);
      const kind = item.kind ?? (inPodList ? "Pod" : undefined);
      const version = item.apiVersion ?? (inPodList ? "v1" : undefined);
      if (kind === undefined) return at("kind: Required value: expected Pod");
      if (typeof kind !== "string" || !KINDS.includes(kind) || (base.length > 0 && kind !== "Pod")) {
        const known = (base.length > 0 ? ["Pod"] : KINDS).map((one) => JSON.stringify(one)).join(", ");
        return at(`kind: Unsupported value: ${short(kind)}: supported values: ${known}`, "kind");
      }
      if (version === undefined) return at("apiVersion: Required value: expected v1");
      if (version !== "v1") {
        return at(`apiVersion: Unsupported value: ${short(version)}: supported values: "v1"`, "apiVersion");
      }
      if (kind === "Pod") {
        pods.push({ pod: item, lineOf: (path) => lineOf([...base, ...path]) });
        return;
      }
      const items = item.items ?? [];
      if (!Array.isArray(items)) return at("items: Invalid value: expected a list of Pods", "items");
      items.forEach((one: unknown, i) => {
        if (pods.length <= MAX_PODS) unpack(one, ["items", i], kind === "PodList");
      });
    };
    unpack(value, [], false);
  }
  if (pods.length > MAX_PODS) faults.push({ message: `more than ${MAX_PODS} pods; split the file up` });
  if (faults.length > 0) throw new ManifestError(where, faults.slice(0, 100));
  return pods;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "nothing" : `the ${typeof value} ${short(value)}`;
}

function short(value: unknown): string {
  const text = typeof value === "object" ? "an object" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
