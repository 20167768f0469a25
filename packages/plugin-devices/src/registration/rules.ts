/** Who may register, and where it is dialled (pkg/kubelet/cm/devicemanager/plugin/v1beta1). Pure. */
import { isAbsolute, posix } from "node:path";
import { isExtendedResource } from "@hooklet/core/rules";

export const VERSION = "v1beta1";
const SUPPORTED_VERSIONS: readonly string[] = [VERSION];

/** A call of `Registration.Register`; its `options` are ignored. */
export interface RegisterRequest {
  readonly version: string;
  readonly endpoint: string;
  readonly resourceName: string;
}

/** Why a registration is refused, with the kubelet's message; undefined: it is not. */
export function registrationFault({ version, resourceName }: Omit<RegisterRequest, "endpoint">): string | undefined {
  if (!SUPPORTED_VERSIONS.includes(version)) {
    const supported = SUPPORTED_VERSIONS.map((one) => JSON.stringify(one)).join(" ");
    return `requested API version ${JSON.stringify(version)} is not supported by kubelet. Supported version is [${supported}]`;
  }
  return isExtendedResource(resourceName) ? undefined : invalidName(resourceName);
}

/** Why a plugin that the watcher has found is refused. @param versions those that it supports */
export function watchedPluginFault(resourceName: string, versions: readonly string[]): string | undefined {
  if (!versions.some((version) => SUPPORTED_VERSIONS.includes(version))) {
    return `manager version, ${VERSION}, is not among plugin supported versions [${versions.join(" ")}]`;
  }
  if (isExtendedResource(resourceName)) return undefined;
  return `invalid name of device plugin socket: ${invalidName(resourceName)}`;
}

/** The plugin's socket: always taken as relative to the folder, and cleaned. */
export function dialPath(socketDirectory: string, endpoint: string): string {
  return posix.join(socketDirectory, endpoint);
}

/** @throws Error when the path of the registration socket is not absolute */
export function checkSocketPath(path: string): void {
  if (!isAbsolute(path)) throw new Error(`bad socketPath, must be an absolute path: ${path}`);
}

/** What goes from the sockets' folder at start: sockets of an earlier life. Files and folders stay. */
export function staleSockets(entries: readonly { readonly name: string; readonly type: string }[]): readonly string[] {
  return entries.filter(({ type }) => type === "socket").map(({ name }) => name);
}

/** The part `device-plugin` of /healthz. `failure`: why the registration server no longer serves. */
export function registrationHealth(failure: string | undefined): { readonly ok: boolean; readonly message?: string } {
  if (failure === undefined) return { ok: true };
  const why = "device plugin registration gRPC server failed and no device plugins can register";
  return { ok: false, message: `device registration error: ${why}: ${failure}` };
}

function invalidName(resourceName: string): string {
  return `the ResourceName ${JSON.stringify(resourceName)} is invalid`;
}
