/** What environments take from ConfigMaps, Secrets and services. */
import type { NodeContext } from "@hooklet/core";
import type { ValueProvider } from "@hooklet/core/subsystem";
import { serviceEnv, serviceNamespaces } from "./service-env.js";

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
