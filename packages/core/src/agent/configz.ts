/** `/configz`: what of the configuration KubeletConfiguration knows too, under its names, and every setting with its origin. */

import { formatDuration, type Json, withoutPasswords } from "@hooklet/utils";
import type { AgentConfig } from "../config/agent-config.js";

/** `kubeletconfig` as the kubelet shows it, without what hooklet has no setting for; header values are masked. */
export function configz(config: AgentConfig, podLogsDir: string): Json {
  return { kubeletconfig: kubeletConfiguration(config, podLogsDir), ...configJson(config) } as unknown as Json;
}

function kubeletConfiguration({ node, sources, port, healthz }: AgentConfig, podLogsDir: string): object {
  const { manifests, manifestUrl, manifestUrlHeader } = sources;
  return {
    ...withoutEmpty({
      staticPodPath: manifests,
      staticPodURL: manifestUrl && withoutPasswords(manifestUrl),
      staticPodURLHeader: mapValues(manifestUrlHeader, () => ["<masked>"]),
      registerWithTaints: node.taints,
      clusterDomain: node.clusterDomain,
      clusterDNS: node.clusterDNS,
      allowedUnsafeSysctls: node.allowedUnsafeSysctls,
      systemReserved: node.systemReserved,
      kubeReserved: node.kubeReserved,
      reservedSystemCPUs: node.reservedSystemCPUs,
    }),
    podLogsDir,
    fileCheckFrequency: formatDuration(sources.fileCheckFrequency),
    httpCheckFrequency: formatDuration(sources.httpCheckFrequency),
    healthzPort: healthz?.port ?? port,
    healthzBindAddress: healthz?.address ?? "127.0.0.1",
    maxPods: node.maxPods,
    resolvConf: node.resolvConf,
    serializeImagePulls: node.serializeImagePulls,
    maxParallelImagePulls: node.maxParallelImagePulls,
    evictionHard: node.evictionHard,
    containerLogMaxSize: node.containerLogMaxSize,
    containerLogMaxFiles: node.containerLogMaxFiles,
  };
}

/** As Go's omitempty. */
function withoutEmpty(values: Readonly<Record<string, string | object | null>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => Object.keys(value ?? "").length > 0));
}

function mapValues<T>(values: Readonly<Record<string, unknown>>, of: () => T): Record<string, T> {
  return Object.fromEntries(Object.keys(values).map((key) => [key, of()]));
}

/** The effective configuration for programs: `{file, extends: [FILE], settings: [{path, value, origin}]}`. */
export function configJson({ file, extended = [], effective }: AgentConfig): {
  readonly file: string | null;
  readonly extends: readonly string[];
  readonly settings: readonly { readonly path: string; readonly value: unknown; readonly origin: string }[];
} {
  return {
    file: file ?? null,
    extends: extended,
    settings: effective.map((one) => ({ ...one, value: one.value ?? null })),
  };
}
