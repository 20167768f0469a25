/** The environment of a container (the kubelet's makeEnvironmentVariables). Pure. */

import { type Container, namespacedName, type Pod, type Resources } from "@hooklet/manifest";
import type { ConfigMapKeySelector, EnvFromSource } from "kubernetes-types/core/v1.js";
import { ContainerConfigError, fieldValue, resourceValue } from "./downward.js";

interface EnvFacts {
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

export { ContainerConfigError };

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
  throw new ContainerConfigError(
    `couldn't find key ${ref.key} in ${kind} ${namespacedName({ namespace: pod.metadata.namespace, name: ref.name ?? "" })}`,
  );
}

/** `$(NAME)` in commands, arguments and values; `$$(NAME)` stays `$(NAME)`, an unknown name stays as it is. */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(/\$(?:\$|\(([^()]*)\))/g, (match, name: string | undefined) =>
    name === undefined ? "$" : (lookup(name) ?? match),
  );
}
