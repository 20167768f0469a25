/** The environment that a manifest asks for (the kubelet's makeEnvironmentVariables). Pure. */

import type { Container, Pod, Resources } from "@hooklet/manifest";
import { allContainers, milliValue, parseQuantity, quantityValue as value } from "@hooklet/manifest";
import type { ConfigMapKeySelector, EnvFromSource } from "kubernetes-types/core/v1.js";
import { expand } from "./expand.js";

export interface EnvFacts {
  readonly nodeName: string;
  readonly hostIp: string;
  readonly podIps: readonly string[];
  /** Stands in for limits that a container does not set. */
  readonly allocatable: Resources;
  readonly values?: EnvValues;
}

/** What comes from ConfigMaps and Secrets of the pod's namespace, and from its services. */
export interface EnvValues {
  /** Undefined: there is no such object. */
  get(kind: "ConfigMap" | "Secret", name: string): Readonly<Record<string, string>> | undefined;
  /** Below the container's own variables. */
  readonly services: Readonly<Record<string, string>>;
}

/** A reason that keeps a container from being created: status CreateContainerConfigError. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
}

/**
 * `envFrom` in order, the container's own variables over it, those of services below both. Texts see what stands before them
 * and the services; values from elsewhere are not expanded.
 * @throws ContainerConfigError for a reference that has no value and is not optional
 */
export function containerEnv(pod: Pod, container: Container, facts: EnvFacts): ReadonlyMap<string, string> {
  const values = facts.values ?? { get: () => undefined, services: {} };
  const env = new Map<string, string>();
  for (const source of container.envFrom ?? []) addAll(env, source, values);
  const lookup = (name: string): string | undefined => env.get(name) ?? values.services[name];
  for (const variable of container.env ?? []) {
    const { valueFrom } = variable;
    if (valueFrom?.fieldRef !== undefined) env.set(variable.name, fieldValue(pod, valueFrom.fieldRef.fieldPath, facts));
    else if (valueFrom?.resourceFieldRef !== undefined) {
      env.set(variable.name, resourceValue(pod, container, valueFrom.resourceFieldRef, facts.allocatable));
    } else if (valueFrom?.configMapKeyRef !== undefined) {
      const value = keyed("ConfigMap", valueFrom.configMapKeyRef, pod, values);
      if (value !== undefined) env.set(variable.name, value);
    } else if (valueFrom?.secretKeyRef !== undefined) {
      const value = keyed("Secret", valueFrom.secretKeyRef, pod, values);
      if (value !== undefined) env.set(variable.name, value);
    } else env.set(variable.name, expand(variable.value ?? "", lookup));
  }
  for (const [name, value] of Object.entries(values.services)) if (!env.has(name)) env.set(name, value);
  return env;
}

type Kind = Parameters<EnvValues["get"]>[0];

function addAll(env: Map<string, string>, source: EnvFromSource, values: EnvValues): void {
  const { prefix = "", configMapRef, secretRef } = source;
  const [kind, ref] =
    configMapRef !== undefined ? (["ConfigMap", configMapRef] as const) : (["Secret", secretRef] as const);
  const data = existing(kind, ref ?? {}, values);
  for (const [key, value] of Object.entries(data ?? {})) env.set(`${prefix}${key}`, value);
}

/** Undefined when it is not there and need not be. */
function existing(kind: Kind, ref: { readonly name?: string; readonly optional?: boolean }, values: EnvValues) {
  const data = values.get(kind, ref.name ?? "");
  if (data !== undefined || ref.optional === true) return data;
  throw new ContainerConfigError(`${kind.toLowerCase()} "${ref.name}" not found`);
}

function keyed(kind: Kind, ref: ConfigMapKeySelector, pod: Pod, values: EnvValues): string | undefined {
  const data = existing(kind, ref, values);
  if (data === undefined) return undefined;
  if (Object.hasOwn(data, ref.key)) return data[ref.key];
  if (ref.optional === true) return undefined;
  throw new ContainerConfigError(`couldn't find key ${ref.key} in ${kind} ${pod.metadata.namespace}/${ref.name}`);
}

/** The value of a downward API field path. */
function fieldValue(pod: Pod, fieldPath: string, facts: EnvFacts): string {
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath);
  if (subscript !== null) return pod.metadata[subscript[1] as "labels" | "annotations"]?.[subscript[2] ?? ""] ?? "";
  switch (fieldPath) {
    case "metadata.name":
      return pod.metadata.name;
    case "metadata.namespace":
      return pod.metadata.namespace;
    case "metadata.uid":
      return pod.metadata.uid;
    case "metadata.labels":
      return mapText(pod.metadata.labels);
    case "metadata.annotations":
      return mapText(pod.metadata.annotations);
    case "spec.nodeName":
      return facts.nodeName;
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "";
    case "status.hostIP":
    case "status.hostIPs":
      return facts.hostIp;
    case "status.podIP":
      return facts.podIps[0] ?? "";
    case "status.podIPs":
      return facts.podIps.join(",");
    default:
      throw new ContainerConfigError(`unsupported fieldPath: ${fieldPath}`);
  }
}

function mapText(map: Readonly<Record<string, string>> | undefined): string {
  return Object.keys(map ?? {})
    .sort()
    .map((key) => `${key}=${JSON.stringify(map?.[key] ?? "")}`)
    .join("\n");
}

/** Rounded up to the divisor (default 1), as the kubelet does; a limit that is not set is the node's allocatable. */
function resourceValue(
  pod: Pod,
  own: Container,
  ref: { resource: string; containerName?: string; divisor?: string },
  allocatable: Resources,
): string {
  const container =
    ref.containerName === undefined ? own : allContainers(pod).find(({ name }) => name === ref.containerName);
  if (container === undefined) throw new ContainerConfigError(`container ${ref.containerName} not found`);
  const [kind, resource] = splitResource(ref.resource);
  const isCpu = resource === "cpu";
  const text = container.resources?.[kind]?.[resource];
  const unset = kind === "limits" ? (allocatable[resource] ?? 0) : 0;
  const amount = text === undefined ? unset : (isCpu ? milliValue : value)(parseQuantity(text));
  const divisorText = ref.divisor === undefined || ref.divisor === "0" ? "1" : ref.divisor;
  const divisor = (isCpu ? milliValue : value)(parseQuantity(divisorText));
  return String(Math.ceil(amount / divisor));
}

function splitResource(text: string): ["limits" | "requests", string] {
  const match = /^(limits|requests)\.(.+)$/.exec(text);
  if (match === null) throw new ContainerConfigError(`unsupported container resource: ${text}`);
  return [match[1] as "limits" | "requests", match[2] ?? ""];
}
