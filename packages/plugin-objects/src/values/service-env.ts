/** Environment variables that tell where services are (the kubelet's envvars.FromServices). Pure. */
import type { Service } from "kubernetes-types/core/v1.js";

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
