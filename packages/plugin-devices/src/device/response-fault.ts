/** What a plugin may not answer. A kubelet hands it to the runtime as it is; here the pod is rejected with a reason. Pure. */
import { posix } from "node:path";
import type { AllocateResponse } from "./device.js";

/** Entries of all kinds in one answer. */
const MAX_ENTRIES = 10_000;
const PERMISSIONS = /^(?!.*(.).*\1)[rwm]{1,3}$/;

/** Undefined: it can be used. */
export function responseFault({
  envs,
  mounts,
  devices,
  annotations,
  cdiDevices,
}: AllocateResponse): string | undefined {
  const entries =
    Object.keys(envs).length + mounts.length + devices.length + Object.keys(annotations).length + cdiDevices.length;
  if (entries > MAX_ENTRIES) return `${entries} entries, expected at most ${MAX_ENTRIES}`;
  for (const [what, items] of [
    ["mount", mounts],
    ["device", devices],
  ] as const) {
    for (const { containerPath, hostPath } of items) {
      const fault = pathFault("containerPath", containerPath) ?? pathFault("hostPath", hostPath);
      if (fault !== undefined) return `${what} ${fault}`;
    }
  }
  for (const { containerPath, permissions } of devices) {
    if (!PERMISSIONS.test(permissions))
      return `device ${containerPath}: permissions ${shown(permissions)}, expected any of r, w, m`;
  }
  const name = Object.keys(envs).find((key) => key === "" || /[=\0]/.test(key));
  return name === undefined ? undefined : `env ${shown(name)}, expected a name without = and NUL`;
}

function pathFault(field: string, path: string): string | undefined {
  const plain = path.startsWith("/") && !path.includes("\0") && !path.split("/").includes("..");
  return plain && posix.normalize(path) !== "/"
    ? undefined
    : `${field} ${shown(path)}, expected an absolute path without ..`;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);
}
