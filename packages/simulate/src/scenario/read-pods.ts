/** The pods of one step, with ConfigMaps and Secrets: inline, or from a file. */
import { resolve } from "node:path";
import { type ConfigFault, type Path, type ValueFault, wordFault } from "@hooklet/config";
import { errorText } from "@hooklet/core";
import { apiPod } from "@hooklet/core/internal";
import { readBounded } from "@hooklet/linux";
import {
  type ApiObject,
  isManifestError,
  type ManifestFault,
  type Pod,
  providedLocally,
  readObjects,
} from "@hooklet/manifest";
import type { Step } from "./schema.js";

export interface PodsRead {
  /** Checked, before they have uids. */
  readonly pods: readonly Pod[];
  readonly objects: readonly ApiObject[];
  readonly faults: readonly (ValueFault | ConfigFault)[];
}

type Manifest = Readonly<Record<string, unknown>>;

/** What an agent takes. */
const MAX_BYTES = 10 * 1024 * 1024;

export async function readPods({ apply, replicas }: Step, path: Path, folder: string): Promise<PodsRead> {
  if (apply === undefined) return NOTHING;
  if ("file" in apply && typeof apply.file === "string") {
    return replicated(await readFileOf(resolve(folder, apply.file), [...path, "file"]), replicas, path);
  }
  const list = (Array.isArray(apply) ? apply : [apply]) as readonly Manifest[];
  const read = await Promise.all(
    list.map((one, index) => readInline(one, Array.isArray(apply) ? [...path, index] : path)),
  );
  const all = {
    pods: read.flatMap(({ pods }) => pods),
    objects: read.flatMap(({ objects }) => objects),
    faults: read.flatMap(({ faults }) => faults),
  };
  return replicated(all, replicas, path);
}

const NOTHING: PodsRead = { pods: [], objects: [], faults: [] };

async function readInline(manifest: Manifest, path: Path): Promise<PodsRead> {
  try {
    return await manifestsOf(JSON.stringify({ apiVersion: "v1", kind: "Pod", ...manifest }), "pod");
  } catch (error) {
    if (!isManifestError(error)) throw error;
    return { ...NOTHING, faults: error.faults.map((fault) => inlineFault(fault, path, kindOf(manifest))) };
  }
}

function kindOf({ kind }: Manifest): string {
  return kind === "ConfigMap" || kind === "Secret" ? kind : "pod";
}

async function readFileOf(file: string, path: Path): Promise<PodsRead> {
  let text: string;
  try {
    text = await readBounded(file, { maxBytes: MAX_BYTES });
  } catch (error) {
    return { ...NOTHING, faults: [wordFault(path, "a manifest that can be read", errorText(error))] };
  }
  try {
    return await manifestsOf(text, file);
  } catch (error) {
    if (!isManifestError(error)) throw error;
    return { ...NOTHING, faults: error.faults.map((fault) => fileFault(fault, file)) };
  }
}

async function manifestsOf(text: string, where: string): Promise<PodsRead> {
  const identify = (pod: Parameters<typeof apiPod>[0]): Pod =>
    apiPod(pod, { nodeName: "node", seen: 0, uid: "simulated" });
  const { pods, objects } = await readObjects(text, where, identify, providedLocally);
  return { ...NOTHING, pods, objects };
}

/** `spec.containers[0].image` as a path in the scenario. */
function inlineFault({ message, path = "" }: ManifestFault, at: Path, kind: string): ValueFault {
  const inner = [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, key, index]) => key ?? Number(index));
  return wordFault([...at, ...inner], `a valid ${kind}`, message);
}

function fileFault({ line, path = "", message }: ManifestFault, file: string): ConfigFault {
  return { file, path, expected: "a valid manifest", found: message, ...(line === undefined ? {} : { line }) };
}

/** @param path of `apply` */
function replicated(read: PodsRead, replicas: number | undefined, path: Path): PodsRead {
  if (replicas === undefined) return read;
  const { pods, objects, faults } = read;
  if (pods.length === 0 && objects.length > 0) {
    const fault = wordFault([...path.slice(0, -1), "replicas"], "pods to be made several of", "none in apply");
    return { ...read, faults: [...faults, fault] };
  }
  const all = pods.flatMap((pod) =>
    Array.from({ length: replicas }, (_, index) => ({
      ...pod,
      metadata: { ...pod.metadata, name: `${pod.metadata.name}-${index}` },
    })),
  );
  return { ...read, pods: all };
}
