/** The pods of one step: inline, or from a file. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorText } from "@hooklet/core";
import { apiPod, type ConfigFault, type Path, readManifest, type ValueFault, wordFault } from "@hooklet/core/host";
import { isManifestError, type ManifestFault, namespacedName, type Pod } from "@hooklet/manifest";
import type { Step } from "./schema.js";

/** A pod of a manifest, checked, before it has a uid. */
export interface Applied {
  /** `namespace/name`. */
  readonly key: string;
  readonly pod: Pod;
}

export interface PodsRead {
  readonly pods: readonly Applied[];
  readonly faults: readonly (ValueFault | ConfigFault)[];
}

type Manifest = Readonly<Record<string, unknown>>;

export async function readPods({ apply, replicas }: Step, path: Path, folder: string): Promise<PodsRead> {
  if (apply === undefined) return { pods: [], faults: [] };
  if ("file" in apply && typeof apply.file === "string") {
    return replicated(await readFileOf(resolve(folder, apply.file), [...path, "file"]), replicas);
  }
  const list = (Array.isArray(apply) ? apply : [apply]) as readonly Manifest[];
  const read = await Promise.all(
    list.map((one, index) => readInline(one, Array.isArray(apply) ? [...path, index] : path)),
  );
  return replicated({ pods: read.flatMap(({ pods }) => pods), faults: read.flatMap(({ faults }) => faults) }, replicas);
}

async function readInline(manifest: Manifest, path: Path): Promise<PodsRead> {
  try {
    return { pods: await podsOf(JSON.stringify({ apiVersion: "v1", kind: "Pod", ...manifest }), "pod"), faults: [] };
  } catch (error) {
    if (!isManifestError(error)) throw error;
    return { pods: [], faults: error.faults.map((fault) => inlineFault(fault, path)) };
  }
}

async function readFileOf(file: string, path: Path): Promise<PodsRead> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    return { pods: [], faults: [wordFault(path, "a manifest that can be read", errorText(error))] };
  }
  try {
    return { pods: await podsOf(text, file), faults: [] };
  } catch (error) {
    if (!isManifestError(error)) throw error;
    return { pods: [], faults: error.faults.map((fault) => fileFault(fault, file)) };
  }
}

async function podsOf(text: string, where: string): Promise<readonly Applied[]> {
  const pods = await readManifest(text, where, (pod) => apiPod(pod, { nodeName: "node", seen: 0, uid: "simulated" }));
  return pods.map((pod) => ({ key: namespacedName(pod.metadata), pod }));
}

/** `spec.containers[0].image` as a path in the scenario. */
function inlineFault({ message, path = "" }: ManifestFault, at: Path): ValueFault {
  const inner = [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, key, index]) => key ?? Number(index));
  return wordFault([...at, ...inner], "a valid pod", message);
}

function fileFault({ line, path = "", message }: ManifestFault, file: string): ConfigFault {
  return { file, path, expected: "a valid pod", found: message, ...(line === undefined ? {} : { line }) };
}

function replicated({ pods, faults }: PodsRead, replicas: number | undefined): PodsRead {
  if (replicas === undefined) return { pods, faults };
  const all = pods.flatMap(({ pod }) =>
    Array.from({ length: replicas }, (_, index) => {
      const metadata = { ...pod.metadata, name: `${pod.metadata.name}-${index}` };
      return { key: namespacedName(metadata), pod: { ...pod, metadata } };
    }),
  );
  return { pods: all, faults };
}
