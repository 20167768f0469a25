/** The whole way of a manifest: text, shape, defaults, identity, validation. */
import type * as v1 from "kubernetes-types/core/v1.js";
import { defaultPod } from "./defaults.js";
import { ManifestError, type ManifestFault } from "./error.js";
import { FieldFaults } from "./field-faults.js";
import { type ManifestDocument, parseManifest } from "./parse.js";
import { FieldPath } from "./path.js";
import type { Pod } from "./pod.js";
import { namespacedName } from "./pod.js";
import { nothingProvided, type Provided } from "./provided.js";
import { readShape } from "./read-shape.js";
import { podShape } from "./schema/pod.js";
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
  const documents = await parseManifest(source, where);
  const faults: ManifestFault[] = [];
  const shape = podShape(provided);
  const pods = documents.map((document) =>
    readPod(document, { identify, shape, several: documents.length > 1 }, faults),
  );
  const places = new Map<string, number>();
  pods.forEach(({ metadata }, i) => {
    const name = namespacedName(metadata);
    const line = documents[i]?.lineOf(["metadata", "name"]);
    if (metadata.name !== "" && places.has(name)) {
      faults.push({
        ...(line && { line }),
        path: "metadata.name",
        message: `a second pod ${name} in the same manifest`,
      });
    }
    places.set(name, i);
  });
  if (faults.length > MAX_FAULTS)
    faults.splice(MAX_FAULTS, faults.length, { message: "and more faults in other pods" });
  if (faults.length > 0) throw new ManifestError(where, faults);
  return pods;
}

interface Reading {
  readonly identify: Identify;
  readonly shape: Shape;
  /** The manifest holds more than one pod. */
  readonly several: boolean;
}

function readPod(document: ManifestDocument, { identify, shape, several }: Reading, into: ManifestFault[]): Pod {
  const faults = new FieldFaults();
  const shaped = readShape(document.pod, shape, FieldPath.root, faults) as v1.Pod;
  const pod = identify(defaultPod(shaped));
  validatePod(pod, faults);
  const prefix = several ? `Pod ${JSON.stringify(shaped.metadata?.name ?? "")}: ` : "";
  for (const { path, message } of faults.list) {
    const line = document.lineOf(path.segments());
    into.push({ ...(line !== undefined && { line }), path: path.toString(), message: `${prefix}${message}` });
  }
  if (faults.more > 0) into.push({ message: `${prefix}and ${faults.more} more faults` });
  return pod;
}
