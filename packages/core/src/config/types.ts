/** The effective configuration: the rc file, defaults and command line in one, validated and resolved. */

import type { SourceRestrictions } from "../admission/restrictions.js";
import type { LoadedRuntime } from "../load/load-runtime.js";
import type { LoadedPlugin } from "../plugin/loaded.js";

/** Options of the node; names, units and defaults are KubeletConfiguration's. */
export interface NodeConfig {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly {
    readonly key: string;
    readonly value?: string;
    readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  }[];
  readonly maxPods: number;
  /** Quantities by resource (cpu, memory, ephemeral-storage, pid). */
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly kubeReserved: Readonly<Record<string, string>>;
  /** List of processors; "" for none. Their number is then the cpu reservation. */
  readonly reservedSystemCPUs: string;
  /** Signal -> quantity or percentage, defaults merged; what is set is taken off allocatable. */
  readonly evictionHard: Readonly<Record<string, string>>;
  /** Replaces what the machine says, for tests and for sharing a machine. Quantities by resource. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Address reported as podIP of pods on the host network; undefined = the machine's first non-loopback address. */
  readonly ip?: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly resolvConf: string;
  /** Where container logs lie; undefined = the runtime's usual place. */
  readonly podLogsDir?: string;
  readonly containerLogMaxSize: string;
  readonly containerLogMaxFiles: number;
  readonly serializeImagePulls: boolean;
  readonly maxParallelImagePulls?: number;
  /** Sysctls that pods may set beside the safe ones: names, or beginnings with `*`. */
  readonly allowedUnsafeSysctls: readonly string[];
  /** Over all who evict; 0 = no limit. */
  readonly evictionsPerMinute: number;
}

export interface SourcesConfig {
  /** Absolute path of the manifest folder (or one file), or null. */
  readonly manifests: string | null;
  readonly manifestUrl: string | null;
  readonly manifestUrlHeader: Readonly<Record<string, readonly string[]>>;
  /** Seconds between two full reads of the folder, beside the watch. */
  readonly fileCheckFrequency: number;
  /** Seconds between two polls of the URL. */
  readonly httpCheckFrequency: number;
  /** What pods of a source may not ask for. */
  readonly restrictions?: SourceRestrictions;
}

/** The kubelet's server; names and defaults are KubeletConfiguration's. Paths are absolute, times in seconds. */
export interface NodeServerConfig {
  readonly address: string;
  readonly port: number;
  readonly streamingConnectionIdleTimeout: number;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly authentication: {
    readonly anonymous: { readonly enabled: boolean };
    readonly webhook: { readonly enabled: boolean; readonly cacheTTL: number };
    readonly x509: { readonly clientCAFile?: string };
  };
  readonly authorization: {
    readonly mode: "Webhook" | "AlwaysAllow";
    readonly webhook: { readonly cacheAuthorizedTTL: number; readonly cacheUnauthorizedTTL: number };
  };
}

export interface SwitchedOff {
  readonly specifier: string;
  readonly origin: string;
}

export interface AgentConfig {
  /** The rc file, undefined when there is none. */
  readonly file?: string;
  /** What the rc file extends, the weakest first; undefined when it extends nothing. */
  readonly extended?: readonly string[];
  readonly rootDir: string;
  readonly socket: string;
  /** HTTP port on loopback; 0 = off. */
  readonly port: number;
  /** HTTP port on loopback for what else can be read; 0 = off. */
  readonly readOnlyPort: number;
  /** HTTP for health alone; undefined: none. */
  readonly healthz?: { readonly address: string; readonly port: number };
  /** Absolute path, and the number of the group. */
  readonly readOnlySocket: { readonly path: string; readonly group: number } | null;
  /** Undefined: none. */
  readonly server?: NodeServerConfig;
  readonly node: NodeConfig;
  readonly sources: SourcesConfig;
  readonly runtime: LoadedRuntime;
  /** In the order in which they are started. */
  readonly plugins: readonly LoadedPlugin[];
  /** What an rc file took away, as it was named where it came from, and `FILE:LINE` of who took it. */
  readonly switchedOff?: readonly SwitchedOff[];
  /** What is allowed and not wise, a sentence each. */
  readonly warnings?: readonly string[];
  /** Every setting with its value and where it comes from, for `hooklet check` and /configz. */
  readonly effective: readonly { readonly path: string; readonly value: unknown; readonly origin: string }[];
}
