/**
 * What pods of a source must not ask for. Off by default: write access to manifests equals root, as on any kubelet. The
 * restrictions follow the Pod Security Standards' profile Baseline. Pure.
 */
import { allContainers, type Container, ephemeralContainers, type Pod } from "@hooklet/manifest";
import type { Rejection } from "../hooks/verdict.js";

export interface Restrictions {
  /** Refuses privileged containers, and capabilities, profiles and a view of /proc that Baseline does not allow. */
  readonly refusePrivileged: boolean;
  /** Refuses hostNetwork, hostPID and hostIPC. */
  readonly refuseHostNamespaces: boolean;
  /** Paths that hostPath volumes may name, with everything below them; null = any. Containers can reach no other files of the node. */
  readonly allowedHostPaths: readonly string[] | null;
  /** Refuses probes and lifecycle handlers that name a host: the agent would ask it, from the node. */
  readonly refuseProbeHosts: boolean;
}

/** A source in the rc file; `others`: those of plugins. */
export type SourceKey = "manifests" | "manifestUrl" | "control" | "others";

/** By source; `others`: those of plugins. A source that is not named is not restricted. */
export type SourceRestrictions = {
  readonly [source in SourceKey]?: Restrictions | undefined;
};

const REASON = "SourceRestricted";

/** Pod Security Standards, Baseline: what may be added. */
const BASELINE_CAPABILITIES = new Set([
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
]);

export function sourceKey(source: string | undefined): SourceKey {
  return source === "manifests" || source === "manifestUrl" || source === "control" ? source : "others";
}

function restrictionsOf(source: string | undefined, all: SourceRestrictions): Restrictions | undefined {
  return all[sourceKey(source)];
}

/** Whether pods of the source may not be privileged; those without a seccomp profile then get the runtime's default. */
export function refusesPrivileged(source: string | undefined, all: SourceRestrictions): boolean {
  return restrictionsOf(source, all)?.refusePrivileged === true;
}

/** Whether anything is refused to pods of the source. */
export function isRestricted(source: string | undefined, all: SourceRestrictions): boolean {
  const {
    refusePrivileged,
    refuseHostNamespaces,
    allowedHostPaths = null,
    refuseProbeHosts,
  } = restrictionsOf(source, all) ?? {};
  return (
    refusePrivileged === true || refuseHostNamespaces === true || allowedHostPaths !== null || refuseProbeHosts === true
  );
}

/**
 * The rejection of a pod of a restricted source, naming each field; undefined when it asks for nothing forbidden. Ephemeral
 * containers are checked one by one when they are added; those that already run are included.
 * @param running names of containers
 * @param reaching how containers of the pod can reach files of the node, as the runtime reports it
 */
export function restricted(
  pod: Pod,
  source: string | undefined,
  all: SourceRestrictions,
  running: readonly string[] = [],
  reaching: readonly string[] = [],
): Rejection | undefined {
  const restrictions = restrictionsOf(source, all);
  if (restrictions === undefined) return undefined;
  const debugging = ephemeralContainers(pod).filter(({ name }) => running.includes(name));
  const ofThem = debugging.flatMap((container) => refusedOfContainer(container, restrictions));
  return rejection([...refusedFields(pod, restrictions), ...ofThem, ...reaching], source);
}

/** The reason against one container of such a pod. */
export function restrictedContainer(
  container: Container,
  source: string | undefined,
  all: SourceRestrictions,
  reaching: readonly string[] = [],
): Rejection | undefined {
  const restrictions = restrictionsOf(source, all);
  if (restrictions === undefined) return undefined;
  return rejection([...refusedOfContainer(container, restrictions), ...reaching], source);
}

/** Whether containers of the source can reach only the listed files of the node. */
export function keepsNodeFiles(source: string | undefined, all: SourceRestrictions): boolean {
  return allowedFolders(source, all) !== null;
}

/** Folders in which host paths of the source's pods have to lie; null = anywhere. */
export function allowedFolders(source: string | undefined, all: SourceRestrictions): readonly string[] | null {
  const allowed = restrictionsOf(source, all)?.allowedHostPaths ?? null;
  return allowed === null || allowed.some((folder) => isBelow("/", folder)) ? null : allowed;
}

/** Sources whose pods may not be privileged, but whose containers may reach any file of the node that the runtime lets them reach. */
export function unkeptSources(all: SourceRestrictions): readonly string[] {
  return (["manifests", "manifestUrl", "control", "others"] as const).filter(
    (key) => all[key]?.refusePrivileged === true && !keepsNodeFiles(key, all),
  );
}

function rejection(fields: readonly string[], source: string | undefined): Rejection | undefined {
  if (fields.length === 0) return undefined;
  const from = source === undefined ? "this source" : `source ${source}`;
  return { reason: REASON, message: `Pods of ${from} may not ask for ${fields.join(", ")} (sources.restrictions)` };
}

/** The fields of the pod that are forbidden, each with its path. */
export function refusedFields(pod: Pod, restrictions: Restrictions): readonly string[] {
  const { refusePrivileged, refuseHostNamespaces, allowedHostPaths } = restrictions;
  return [
    ...(refusePrivileged ? unconfined(pod.spec.securityContext, "") : []),
    ...allContainers(pod).flatMap((container) => refusedOfContainer(container, restrictions)),
    ...(refuseHostNamespaces
      ? (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => pod.spec[name] === true)
      : []),
    ...(allowedHostPaths === null ? [] : hostPaths(pod, allowedHostPaths)),
  ];
}

function refusedOfContainer(
  container: Container,
  { refusePrivileged, refuseProbeHosts }: Restrictions,
): readonly string[] {
  return [...(refusePrivileged ? privileges(container) : []), ...(refuseProbeHosts ? namedHosts(container) : [])];
}

function privileges({ name, securityContext }: Container): readonly string[] {
  const added = securityContext?.capabilities?.add ?? [];
  const refused = added.filter((one) => !BASELINE_CAPABILITIES.has(one.replace(/^CAP_/, "")));
  return [
    ...(securityContext?.privileged === true ? [`privileged of container ${name}`] : []),
    ...(refused.length > 0 ? [`capabilities ${refused.join(", ")} of container ${name}`] : []),
    ...(securityContext?.procMount === "Unmasked" ? [`procMount Unmasked of container ${name}`] : []),
    ...unconfined(securityContext, ` of container ${name}`),
  ];
}

const CONFINING: ReadonlySet<unknown> = new Set(["RuntimeDefault", "Localhost"]);

function unconfined(context: Container["securityContext"], whose: string): readonly string[] {
  return (["seccompProfile", "appArmorProfile"] as const).flatMap((field) => {
    const type: unknown = context?.[field]?.type;
    const confines = context?.[field] === undefined || context[field] === null || CONFINING.has(type);
    return confines ? [] : [`${field} ${String(type)}${whose}`];
  });
}

function hostPaths(pod: Pod, allowed: readonly string[]): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap(({ name, hostPath }) => {
    if (hostPath === undefined || allowed.some((folder) => isBelow(hostPath.path, folder))) return [];
    return [`hostPath ${hostPath.path} of volume ${name}`];
  });
}

/** Of the path as it is written, without `.` and doubled slashes. With `..` it is below nothing. */
export function isBelow(path: string, folder: string): boolean {
  if (path.split("/").includes("..")) return false;
  const [inner, outer] = [path, folder].map((one) => one.split("/").filter((part) => part !== "" && part !== "."));
  return (outer ?? []).every((part, i) => inner?.[i] === part);
}

function namedHosts(container: Container): readonly string[] {
  const { name, livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  const asked = {
    livenessProbe,
    readinessProbe,
    startupProbe,
    "lifecycle.postStart": lifecycle?.postStart,
    "lifecycle.preStop": lifecycle?.preStop,
  };
  return Object.entries(asked).flatMap(([field, handler]) => {
    const host = handler?.httpGet?.host || handler?.tcpSocket?.host;
    return host ? [`host ${host} in ${field} of container ${name}`] : [];
  });
}
