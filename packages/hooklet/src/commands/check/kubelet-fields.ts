/** A KubeletConfiguration as an rc file: option names are the kubelet's, so that most fields only find their place. Pure. */

import { isRecord } from "@hooklet/manifest";
import { parseDuration } from "@hooklet/utils";

export interface Known {
  /** Names of options under `node`. */
  readonly node: ReadonlySet<string>;
  /** By a plugin's short name, the names of its options. */
  readonly plugins: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Translated {
  readonly rc: Readonly<Record<string, unknown>>;
  /** Fields without a counterpart, with the reason. */
  readonly left: readonly { readonly field: string; readonly why: string }[];
}

type Place = readonly [section: string, option: string];

/** What has another name or place here. */
const PLACES: Readonly<Record<string, Place>> = {
  staticPodPath: ["sources", "manifests"],
  staticPodURL: ["sources", "manifestUrl"],
  staticPodURLHeader: ["sources", "manifestUrlHeader"],
  fileCheckFrequency: ["sources", "fileCheckFrequency"],
  httpCheckFrequency: ["sources", "httpCheckFrequency"],
  healthzPort: ["", "port"],
  readOnlyPort: ["", "readOnlyPort"],
  registerWithTaints: ["node", "taints"],
  address: ["server", "address"],
  port: ["server", "port"],
  streamingConnectionIdleTimeout: ["server", "streamingConnectionIdleTimeout"],
  tlsCertFile: ["server", "tlsCertFile"],
  tlsPrivateKeyFile: ["server", "tlsPrivateKeyFile"],
  authentication: ["server", "authentication"],
  authorization: ["server", "authorization"],
};

const NO_FIELD = "the kubelet 1.36 has no such field: correct a typing error, or leave it out";
const TLS = "the server speaks TLS 1.2 and newer, with the cipher suites of Node";
/** Options of `sources.kube`, which needs a kubeconfig first: the kubelet has that from its command line. */
const OF_KUBE = [
  "rotateCertificates",
  "serverTLSBootstrap",
  "registerNode",
  "providerID",
  "nodeStatusUpdateFrequency",
  "nodeStatusReportFrequency",
  "nodeLeaseDurationSeconds",
  "kubeAPIQPS",
  "kubeAPIBurst",
  "eventRecordQPS",
  "eventBurst",
];

const REASONS: Readonly<Record<string, string>> = {
  tlsCipherSuites: TLS,
  tlsMinVersion: TLS,
  ...Object.fromEntries(OF_KUBE.map((name) => [name, `it is sources.kube.${name}, beside sources.kube.kubeconfig`])),
  healthzBindAddress:
    "hooklet's port is on 127.0.0.1. In the rc file, healthzPort and healthzBindAddress together open another port that serves health alone",
  runtimeRequestTimeout: "it is runtime.options.runtimeRequestTimeout, of runtime cri",
  seccompDefault:
    "less safe: a pod that names no seccompProfile runs Unconfined. Set securityContext.seccompProfile.type: RuntimeDefault in its manifest",
  cgroupDriver: "the runtime says which driver it uses",
  featureGates:
    "what hooklet has is always on; RuntimeClassInImageCriApi alone is an option, runtime.options.featureGates of runtime cri",
  syncFrequency: "pods are looked at when something happens to them",
  logging: "--log-format and --log-level of hooklet run",
};

/** Fields of a kubelet 1.36 that have no counterpart, and need no reason. */
const UNLIKE: ReadonlySet<string> = new Set(
  `enableDebuggingHandlers enableContentionProfiling oomScoreAdj registryPullQPS registryBurst kubeletCgroups systemCgroups
  memoryManagerPolicy hairpinMode podCIDR runOnce nodeStatusMaxImages maxOpenFiles contentType podsPerCore
  enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains iptablesMasqueradeBit iptablesDropBit failSwapOn
  containerLogMaxWorkers containerLogMonitorInterval configMapAndSecretChangeDetectionStrategy showHiddenMetricsForVersion
  volumePluginDir enableSystemLogHandler enableSystemLogQuery crashLoopBackOff reservedMemory enableProfilingHandler
  enableDebugFlagsHandler tracing imageServiceEndpoint failCgroupV1 imagePullCredentialsVerificationPolicy
  preloadedImagesVerificationAllowlist userNamespaces topologyManagerPolicyOptions`.split(/\s+/),
);

/** The kubelet's default, written or not; hooklet's own is local processes. */
const CONTAINER_RUNTIME_ENDPOINT = "unix:///run/containerd/containerd.sock";

/** Fields of every object of the API. */
const HEAD = ["apiVersion", "kind", "metadata"];

export function fromKubelet(configuration: Readonly<Record<string, unknown>>, known: Known): Translated {
  const rc: Record<string, unknown> = {};
  const plugins = new Map<string, Record<string, unknown>>();
  const left: { field: string; why: string }[] = [];
  const { enableServer, containerRuntimeEndpoint, ...said } = withoutDefaults(configuration);
  rc.runtime = { use: "cri", options: { endpoint: containerRuntimeEndpoint ?? CONTAINER_RUNTIME_ENDPOINT } };
  const serverFields = Object.keys(said).filter((field) => PLACES[field]?.[0] === "server");
  const noServer = serverFault(enableServer, said.authorization);
  for (const [field, value] of Object.entries(said)) {
    if (HEAD.includes(field)) continue;
    if (noServer !== undefined && serverFields.includes(field)) {
      left.push({ field, why: noServer });
      continue;
    }
    const place = PLACES[field] ?? (known.node.has(field) ? (["node", field] as const) : undefined);
    const owners = [...known.plugins].filter(([, options]) => options.has(field)).map(([name]) => name);
    if (place !== undefined) put(rc, place, field === "registerWithTaints" ? taints(value) : value);
    else if (owners.length > 0) for (const name of owners) plugins.set(name, { ...plugins.get(name), [field]: value });
    else left.push({ field, why: REASONS[field] ?? (UNLIKE.has(field) ? "hooklet has nothing like it" : NO_FIELD) });
  }
  if (rc.readOnlyPort !== undefined && rc.readOnlyPort !== 0)
    left.push({
      field: "readOnlyPort's address",
      why: `port ${String(rc.readOnlyPort)} is on 127.0.0.1, not on every address`,
    });
  if (plugins.size > 0) rc.plugins = [...plugins];
  return { rc, left };
}

/** Why the kubelet's server has no counterpart yet; undefined: it has one. */
function serverFault(enableServer: unknown, authorization: unknown): string | undefined {
  if (enableServer === false) return "enableServer is false: there is no server";
  if (isRecord(authorization) && authorization.mode === "AlwaysAllow") return undefined;
  return "authorization.mode is Webhook: hooklet's server then needs an API server to ask. Add sources.kube.kubeconfig first, then the section server";
}

function put(rc: Record<string, unknown>, [section, option]: Place, value: unknown): void {
  if (section === "") rc[option] = value;
  else rc[section] = { ...(isRecord(rc[section]) ? rc[section] : {}), [option]: value };
}

/** A taint's time is the API server's. */
function taints(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((taint: unknown) => {
    if (!isRecord(taint)) return taint;
    const { timeAdded: _, ...rest } = taint;
    return rest;
  });
}

// What a KubeletConfiguration leaves to the kubelet although it is written there, as kubeadm writes it.

/**
 * Zero is the default of these: SetDefaults_KubeletConfiguration (pkg/kubelet/apis/config/v1beta1/defaults.go). Others are pointers
 * there, of which only an absent one gets its default, or are off at zero.
 */
const ZERO_IS_DEFAULT: ReadonlySet<string> = new Set([
  "syncFrequency",
  "fileCheckFrequency",
  "httpCheckFrequency",
  "streamingConnectionIdleTimeout",
  "nodeStatusUpdateFrequency",
  "nodeStatusReportFrequency",
  "imageMinimumGCAge",
  "volumeStatsAggPeriod",
  "cpuManagerReconcilePeriod",
  "runtimeRequestTimeout",
  "evictionPressureTransitionPeriod",
  "cacheTTL",
  "cacheAuthorizedTTL",
  "cacheUnauthorizedTTL",
  "port",
  "maxPods",
  "maxOpenFiles",
  "nodeLeaseDurationSeconds",
  "registryBurst",
  "eventBurst",
  "kubeAPIBurst",
]);

/** An empty name of it says something: containers have no resolv.conf of the machine. */
const EMPTY_COUNTS = "resolvConf";

/** Objects whose fields have defaults of their own. */
const NESTED = ["authentication", "authorization", "webhook"];

/** The fields that say something, in their order. */
export function withoutDefaults(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const said = Object.entries(fields).filter(([field, value]) => !isDefault(field, value));
  return Object.fromEntries(
    said.map(([field, value]) => [field, NESTED.includes(field) && isRecord(value) ? withoutDefaults(value) : value]),
  );
}

function isDefault(field: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (value === "") return field !== EMPTY_COUNTS;
  return ZERO_IS_DEFAULT.has(field) && isZero(value);
}

function isZero(value: unknown): boolean {
  return value === 0 || (typeof value === "string" && parseDuration(value) === 0);
}
