/** What environments take from ConfigMaps, Secrets and services. */

import type { NodeContext } from "@hooklet/core";
import type { ValueProvider } from "@hooklet/core/subsystem";
import type { Service } from "kubernetes-types/core/v1.js";

export function objectValues({ objects }: Pick<NodeContext, "objects">): ValueProvider {
  return {
    kinds: ["configMapKeyRef", "secretKeyRef"],
    async get(kind, name, pod, signal) {
      const source = objects.of(pod);
      if (kind === "ConfigMap") {
        const configMap = await source.read(kind, name, signal);
        return configMap === undefined ? undefined : { data: configMap.data ?? {} };
      }
      const secret = await source.read(kind, name, signal);
      if (secret === undefined) return undefined;
      const texts = Object.entries(secret.data ?? {}).map(([key, data]) => [
        key,
        Buffer.from(data, "base64").toString("utf8"),
      ]);
      return { data: Object.fromEntries(texts) as Record<string, string> };
    },
    async serviceEnv(pod, signal) {
      const links = pod.spec.enableServiceLinks !== false;
      const { namespace } = pod.metadata;
      const services = await objects.of(pod).services?.(serviceNamespaces(namespace, links), signal);
      return services === undefined ? {} : serviceEnv(services, namespace, links);
    },
  };
}

// Environment variables that tell where services are (the kubelet's envvars.FromServices).

/** Every pod gets its variables. */
const MASTER = { namespace: "default", name: "kubernetes" };

/** Namespaces whose services become variables of a pod. */
export function serviceNamespaces(namespace: string, enableServiceLinks: boolean): readonly string[] {
  return [...new Set([MASTER.namespace, ...(enableServiceLinks ? [namespace] : [])])];
}

export function serviceEnv(
  services: readonly Service[],
  namespace: string,
  enableServiceLinks: boolean,
): Readonly<Record<string, string>> {
  const visible = services.filter(({ metadata, spec }) => {
    if (spec?.clusterIP === undefined || spec.clusterIP === "" || spec.clusterIP === "None") return false;
    const isMaster = metadata?.namespace === MASTER.namespace && metadata.name === MASTER.name;
    return isMaster || (enableServiceLinks && metadata?.namespace === namespace);
  });
  // One of the pod's own namespace hides the cluster's own of the same name.
  const byName = new Map<string, Service>();
  for (const service of visible.sort((a, b) => rank(a, namespace) - rank(b, namespace))) {
    byName.set(service.metadata?.name ?? "", service);
  }
  return Object.assign({}, ...[...byName.values()].map(variablesOf)) as Record<string, string>;
}

function rank({ metadata }: Service, namespace: string): number {
  return metadata?.namespace === namespace ? 1 : 0;
}

function variablesOf({ metadata, spec }: Service): Record<string, string> {
  const name = variableName(metadata?.name ?? "");
  const ip = spec?.clusterIP ?? "";
  const ports = spec?.ports ?? [];
  const [first] = ports;
  const variables: Record<string, string> = { [`${name}_SERVICE_HOST`]: ip };
  if (first !== undefined) variables[`${name}_SERVICE_PORT`] = String(first.port);
  for (const port of ports) {
    if (port.name) variables[`${name}_SERVICE_PORT_${variableName(port.name)}`] = String(port.port);
  }
  for (const port of ports) {
    const protocol = port.protocol ?? "TCP";
    const url = `${protocol.toLowerCase()}://${ip.includes(":") ? `[${ip}]` : ip}:${port.port}`;
    if (port === first) variables[`${name}_PORT`] = url;
    const prefix = `${name}_PORT_${port.port}_${protocol.toUpperCase()}`;
    variables[prefix] = url;
    variables[`${prefix}_PROTO`] = protocol.toLowerCase();
    variables[`${prefix}_PORT`] = String(port.port);
    variables[`${prefix}_ADDR`] = ip;
  }
  return variables;
}

function variableName(text: string): string {
  return text.replaceAll("-", "_").toUpperCase();
}
