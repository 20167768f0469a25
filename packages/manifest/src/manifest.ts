/** The whole way of a manifest: text, shape, defaults, identity, validation. */
import type * as v1 from "kubernetes-types/core/v1.js";
import { type ApiObject, finishedObject, objectShape, type ShapedObject, validateObject } from "./api-object.js";
import { defaultPod } from "./defaults.js";
import { ManifestError, type ManifestFault } from "./error.js";
import { FieldFaults } from "./field-faults.js";
import { type ManifestDocument, parsedObject, parseManifest } from "./parse.js";
import { FieldPath } from "./path.js";
import { namespacedName, type Pod } from "./pod.js";
import { nothingProvided, type Provided } from "./provided.js";
import { readShape } from "./read-shape.js";
import { metadata, podShape } from "./schema/pod-shape.js";
import type { Shape } from "./shape.js";
import { validatePod } from "./validate.js";

/** More than a person reads. */
const MAX_FAULTS = 200;

/** Gives a defaulted pod its name, uid and marks (identity.ts). */
export type Identify = (pod: v1.Pod) => Pod;

/**
 * The pods of a manifest, ready for admission, in the order of the text. All or nothing: a single fault and none is used.
 * `where` is its file, URL or `control socket`; `provided`: what plugins bring, all else that needs a cluster is refused by name.
 * @throws ManifestError with every fault of every pod, each with line and path; no other error
 */
export async function readManifest(
  source: Uint8Array | string,
  where: string,
  identify: Identify,
  provided: Provided = nothingProvided,
): Promise<readonly Pod[]> {
  return finished(await parseManifest(source, where, ["Pod"]), where, { identify, provided }).pods;
}

/** As `readManifest`, of a Pod, or a list of them, that is no text: what makes pods itself need not write them down to read them. */
export function readManifestObject(
  value: unknown,
  where: string,
  identify: Identify,
  provided: Provided = nothingProvided,
): readonly Pod[] {
  return finished(parsedObject(value, where, ["Pod"]), where, { identify, provided }).pods;
}

/**
 * As `readManifest`, of manifests that may hold ConfigMaps and Secrets as well.
 * @throws ManifestError with every fault of every object; no other error
 */
export async function readObjects(
  source: Uint8Array | string,
  where: string,
  identify: Identify,
  provided: Provided = nothingProvided,
): Promise<{ readonly pods: readonly Pod[]; readonly objects: readonly ApiObject[] }> {
  const documents = await parseManifest(source, where, ["Pod", "ConfigMap", "Secret"]);
  return finished(documents, where, { identify, provided });
}

function finished(
  documents: readonly ManifestDocument[],
  where: string,
  wanted: { readonly identify: Identify; readonly provided: Provided },
): { readonly pods: readonly Pod[]; readonly objects: readonly ApiObject[] } {
  const faults: ManifestFault[] = [];
  const reading = { identify: wanted.identify, shape: podShape(wanted.provided), several: documents.length > 1 };
  const pods: Pod[] = [];
  const objects: ApiObject[] = [];
  const taken = new Set<string>();
  for (const document of documents) {
    const { kind } = document;
    const one = kind === "Pod" ? readPod(document, reading, faults) : readObject(document, kind, reading, faults);
    const name = namespacedName(one.metadata);
    if (one.metadata.name !== "" && taken.has(`${kind} ${name}`)) {
      const line = document.lineOf(["metadata", "name"]);
      const message = `a second ${kind === "Pod" ? "pod" : kind} ${name} in the same manifest`;
      faults.push({ ...(line && { line }), path: "metadata.name", message });
    }
    taken.add(`${kind} ${name}`);
    if (kind === "Pod") pods.push(one as Pod);
    else objects.push(one as ApiObject);
  }
  if (faults.length > MAX_FAULTS)
    faults.splice(MAX_FAULTS, faults.length, { message: "and more faults in other pods" });
  if (faults.length > 0) throw new ManifestError(where, faults);
  return { pods, objects };
}

interface Reading {
  readonly identify: Identify;
  readonly shape: Shape;
  /** The manifest holds more than one pod. */
  readonly several: boolean;
}

function readPod(document: ManifestDocument, { identify, shape, several }: Reading, into: ManifestFault[]): Pod {
  const faults = new FieldFaults();
  const shaped = readShape(document.object, shape, FieldPath.root, faults) as v1.Pod;
  const pod = identify(defaultPod(shaped));
  validatePod(pod, faults);
  collect(document, several ? (shaped.metadata?.name ?? "") : undefined, faults, into);
  return pod;
}

function readObject(
  document: ManifestDocument,
  kind: ApiObject["kind"],
  { several }: Reading,
  into: ManifestFault[],
): ApiObject {
  const faults = new FieldFaults();
  const shaped = readShape(document.object, objectShape(kind, metadata), FieldPath.root, faults, {
    hideValues: kind === "Secret",
  }) as ShapedObject;
  const object = finishedObject(shaped, kind);
  validateObject(object, faults);
  collect(document, several ? object.metadata.name : undefined, faults, into);
  return object;
}

/** `name`: of one of several objects. */
function collect(
  document: ManifestDocument,
  name: string | undefined,
  faults: FieldFaults,
  into: ManifestFault[],
): void {
  const prefix = name === undefined ? "" : `${document.kind} ${JSON.stringify(name)}: `;
  for (const { path, message } of faults.list) {
    const line = document.lineOf(path.segments());
    into.push({ ...(line !== undefined && { line }), path: path.toString(), message: `${prefix}${message}` });
  }
  if (faults.more > 0) into.push({ message: `${prefix}and ${faults.more} more faults` });
}
