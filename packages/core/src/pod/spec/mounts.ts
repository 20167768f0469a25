/** The mounts of a container's volumes. Pure. */

import type { VolumeMount } from "kubernetes-types/core/v1.js";
import { ContainerConfigError, expand } from "./env.js";

// The sub path of a volume mount (the kubelet's makeMounts).

/**
 * Empty: the whole volume.
 * @throws ContainerConfigError for a variable without value, or one that leads out of the volume
 */
export function subPathOf(mount: VolumeMount, env: ReadonlyMap<string, string>): string {
  if (!mount.subPathExpr) return mount.subPath ?? "";
  const missing: string[] = [];
  const subPath = expand(mount.subPathExpr, (name) => {
    if (!env.has(name)) missing.push(name);
    return env.get(name);
  });
  if (missing.length > 0) throw new ContainerConfigError(`missing value for ${missing.join(", ")}`);
  if (subPath.startsWith("/")) {
    throw new ContainerConfigError(`error SubPath \`${subPath}\` must not be an absolute path`);
  }
  if (subPath.split("/").includes("..")) {
    throw new ContainerConfigError(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  }
  return subPath;
}

// Whether a mount is read-only with all that is mounted below it (KEP-3857; the kubelet's resolveRecursiveReadOnly).

/**
 * `supported`: the pod's RuntimeClass handler can.
 * @throws Error with the kubelet's message when it is required and not supported
 */
export function recursiveReadOnly(mount: VolumeMount, supported: boolean): boolean {
  const { name, readOnly, mountPropagation = "None", recursiveReadOnly: mode = "Disabled" } = mount;
  if (mode === "Disabled") return false;
  const asked = `volume "${name}" requested recursive read-only mode, but it is`;
  if (readOnly !== true) throw new Error(`${asked} not read-only`);
  if (mountPropagation !== "None") throw new Error(`${asked} not compatible with propagation "${mountPropagation}"`);
  if (mode === "IfPossible") return supported;
  if (mode !== "Enabled") throw new Error(`unknown recursive read-only mode "${mode}"`);
  if (!supported) throw new Error(`${asked} not supported by the runtime`);
  return true;
}
