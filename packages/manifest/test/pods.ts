/** Manifests for the tests of this folder and of the sources. */

import { ManifestError, type ManifestFault } from "../src/error.js";
import { staticPod } from "../src/identity.js";
import { readManifest } from "../src/manifest.js";
import type { Pod } from "../src/pod.js";

export const WHERE = "/etc/kubernetes/manifests/a.yaml";

/** Reads it as a file of node `node1`. */
export function read(text: string | Uint8Array, where = WHERE): Promise<readonly Pod[]> {
  return readManifest(text, where, (pod) => staticPod(pod, { source: "file", where, nodeName: "node1", seen: 0 }));
}

/** The only pod of a manifest. */
export async function readOne(text: string | object): Promise<Pod> {
  const [pod, ...more] = await read(typeof text === "string" ? text : JSON.stringify(text));
  if (pod === undefined || more.length > 0) throw new Error("expected one pod");
  return pod;
}

export async function faultsOf(text: string | Uint8Array): Promise<readonly ManifestFault[]> {
  try {
    await read(text);
  } catch (error) {
    if (error instanceof ManifestError) return error.faults;
    throw error;
  }
  return [];
}

export async function messagesOf(manifest: string | object): Promise<readonly string[]> {
  const faults = await faultsOf(typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  return faults.map(({ message }) => message);
}

export function aPod(spec: object = {}, metadata: object = {}): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", ...metadata },
    spec: { containers: [{ name: "main", image: "host" }], ...spec },
  };
}

export function aContainer(fields: object): Record<string, unknown> {
  return aPod({ containers: [{ name: "main", image: "host", ...fields }] });
}

export function yamlPod(name: string): string {
  return `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  containers:\n  - name: main\n    image: host\n`;
}
