/** The sub path of a volume mount (the kubelet's makeMounts). Pure. */
import type { VolumeMount } from "kubernetes-types/core/v1.js";
import { ContainerConfigError } from "./env.js";
import { expand } from "./expand.js";

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
