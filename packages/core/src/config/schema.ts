/**
 * The rc file: every option with its default and its description. The option table of docs/rc-file.md and the JSON
 * schema are made of it. Names, units and defaults are KubeletConfiguration's where it has them. Pure.
 */
import { z } from "zod";
import { defaultEvictionHard, effectiveEvictionHard, evictionSignals } from "../lib/threshold.js";
import { defaultRuntime } from "../load/candidates.js";
import { cpuList, duration, quantity, subdomain, threshold, whole } from "./values.js";

/** No system call takes a name with NUL in it. */
const withoutNul = (text: string): boolean => !text.includes("\0");
const path = z
  .string({ error: "a path" })
  .min(1, { error: "a path" })
  .max(4096)
  .refine(withoutNul, { error: "a path without NUL" })
  .meta({ title: "path" });
const labelValue = z.string().max(63);
const reserved = z.partialRecord(
  z.enum(["cpu", "memory", "ephemeral-storage", "pid"], {
    error: "one of cpu, memory, ephemeral-storage, pid",
  }),
  quantity(),
);

const taint = z.strictObject({
  key: z.string().min(1).max(317),
  value: labelValue.optional(),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
});

const signal = z.enum(evictionSignals, { error: `one of ${evictionSignals.join(", ")}` });

const nodeOptions = z.strictObject({
  name: subdomain().optional().describe("Name of the node. Default: the machine's host name in lower case."),
  labels: z
    .record(z.string().max(317), labelValue)
    .default({})
    .describe("Labels of the node, for nodeSelector and affinity."),
  taints: z.array(taint).max(100).default([]).describe("Taints of the node: {key, value, effect}."),
  maxPods: whole(0, 1_000_000).default(110).describe("How many pods the node takes."),
  systemReserved: reserved.prefault({}).describe("Kept for the system: taken off allocatable. Quantities by resource."),
  kubeReserved: reserved.prefault({}).describe("Kept for the agent and its runtime: taken off allocatable."),
  reservedSystemCPUs: cpuList()
    .default("")
    .describe(
      "Processors for the system and the agent, `0-1`: their number replaces cpu of systemReserved and kubeReserved.",
    ),
  evictionHard: z
    .partialRecord(signal, threshold())
    .prefault(defaultEvictionHard)
    .describe("Hard eviction thresholds; what is set is taken off allocatable. Replaces the default whole."),
  mergeDefaultEvictionSettings: z
    .boolean()
    .default(false)
    .describe("evictionHard does not replace the default, but is put on top of it."),
  capacity: z
    .record(z.string().min(1).max(253), quantity())
    .prefault({})
    .describe("Replaces what the machine says it has, to share a machine or for tests. Quantities by resource."),
  ip: z
    .union([z.ipv4(), z.ipv6()], { error: "an IP address" })
    .optional()
    .describe("Address of the node, and of pods on its network. Default: the first address that is not loopback."),
  clusterDNS: z
    .array(z.union([z.ipv4(), z.ipv6()], { error: "an IP address" }))
    .max(3)
    .default([])
    .describe("DNS servers of pods with dnsPolicy ClusterFirst."),
  clusterDomain: z
    .union([subdomain(), z.literal("")])
    .default("")
    .describe("DNS domain of the cluster."),
  resolvConf: z
    .string()
    .max(4096)
    .default("/etc/resolv.conf")
    .describe("Resolver file of pods with dnsPolicy Default."),
  podLogsDir: path.optional().describe("Where container logs lie. Default: the runtime's usual place."),
  containerLogMaxSize: quantity().prefault("10Mi").describe("Size at which a container's log file is rotated."),
  containerLogMaxFiles: whole(2, 1000).default(5).describe("Log files kept per container, the current one included."),
  serializeImagePulls: z.boolean().default(true).describe("One image pull at a time."),
  maxParallelImagePulls: whole(1, 1000)
    .optional()
    .describe("Image pulls at a time when serializeImagePulls is false. Default: no limit."),
  allowedUnsafeSysctls: z
    .array(
      z
        .string()
        .regex(/^([a-z0-9_-]+[./])*[a-z0-9_*-]+$/i, { error: "a sysctl, or its beginning and *: kernel.msg*" })
        .max(253),
    )
    .max(100)
    .default([])
    .describe("Sysctls that pods may set beside the safe ones: names, or beginnings with a `*`."),
  evictionsPerMinute: whole(0, 100_000)
    .default(0)
    .describe("Pods evicted within a minute at most, whoever asks; further ones wait. 0 = no limit."),
});

/** With the kubelet's own rules. */
export const nodeSchema = nodeOptions
  .refine(({ serializeImagePulls, maxParallelImagePulls = 1 }) => !serializeImagePulls || maxParallelImagePulls === 1, {
    error: "1, or serializeImagePulls to be false",
    path: ["maxParallelImagePulls"],
  })
  .transform(({ evictionHard, ...node }) => ({
    ...node,
    evictionHard: effectiveEvictionHard(evictionHard, node.mergeDefaultEvictionSettings),
  }));

const restrictions = z.strictObject({
  refusePrivileged: z
    .boolean()
    .default(false)
    .describe("Refuse privileged containers, and capabilities beyond the profile Baseline of Kubernetes."),
  refuseHostNamespaces: z.boolean().default(false).describe("Refuse hostNetwork, hostPID and hostIPC."),
  allowedHostPaths: z
    .array(
      z
        .string()
        .startsWith("/", { error: "an absolute path" })
        .max(4096)
        .refine(withoutNul, { error: "a path without NUL" }),
    )
    .max(1_000)
    .nullable()
    .default(null)
    .describe("Paths that hostPath volumes may name, with what is below them, as they are written. null = any."),
  refuseProbeHosts: z
    .boolean()
    .default(false)
    .describe("Refuse probes and lifecycle handlers that name a host: the agent would ask it."),
});

const SOURCES = "Where pods come from, beside the control socket.";
const sourcesSchema = z.strictObject({
  manifests: path.nullable().default(null).describe("Folder of pod manifests, or one file. null = none."),
  manifestUrl: z
    .url({ protocol: /^https?$/, error: "an http or https URL" })
    .max(2048)
    .nullable()
    .default(null)
    .describe("URL of a manifest that is polled. null = none."),
  manifestUrlHeader: z
    .record(
      z.string().min(1).max(256),
      z.union([z.string(), z.array(z.string())]).transform((one) => [one].flat()),
    )
    .prefault({})
    .describe("HTTP headers for manifestUrl. Values are never shown."),
  fileCheckFrequency: duration("100ms", "24h")
    .prefault("20s")
    .describe("Between two full reads of the folder, beside the watch."),
  httpCheckFrequency: duration("100ms", "24h").prefault("20s").describe("Between two polls of the URL."),
  restrictions: z
    .strictObject({
      manifests: restrictions.optional(),
      manifestUrl: restrictions.optional(),
      control: restrictions.optional(),
      others: restrictions.optional(),
    })
    .prefault({})
    .describe(
      "What pods of a source may not ask for; others: the sources of plugins. A source that is not named is not restricted.",
    ),
});

const enabled = (byDefault: boolean, what: string) =>
  z.strictObject({ enabled: z.boolean().default(byDefault).describe(what) }).prefault({});

const serverSchema = z
  .strictObject({
    address: z
      .union([z.ipv4(), z.ipv6()], { error: "an IP address" })
      .default("0.0.0.0")
      .describe("Address on which it listens."),
    port: whole(1, 65_535).default(10_250).describe("Port on which it listens."),
    tlsCertFile: path
      .optional()
      .describe(
        "Certificate in PEM, with those between it and its authority. Default: one that is signed by itself, in rootDir.",
      ),
    tlsPrivateKeyFile: path.optional().describe("Key of tlsCertFile, in PEM."),
    authentication: z
      .strictObject({
        anonymous: enabled(false, "Requests without credentials are those of system:anonymous."),
        webhook: z
          .strictObject({
            enabled: z.boolean().default(true).describe("Bearer tokens are reviewed by the API server."),
            cacheTTL: duration("0s", "24h").prefault("2m").describe("How long the answer holds."),
          })
          .prefault({}),
        x509: z
          .strictObject({
            clientCAFile: path
              .optional()
              .describe("Authorities of client certificates, in PEM: CN is the user, O its groups."),
          })
          .prefault({}),
      })
      .prefault({}),
    authorization: z
      .strictObject({
        mode: z
          .enum(["Webhook", "AlwaysAllow"], { error: "Webhook or AlwaysAllow" })
          .default("Webhook")
          .describe("Webhook: the API server says what a user may ask for. AlwaysAllow: whoever is let in may do all."),
        webhook: z
          .strictObject({
            cacheAuthorizedTTL: duration("0s", "24h").prefault("5m").describe("How long an allowance holds."),
            cacheUnauthorizedTTL: duration("0s", "24h").prefault("30s").describe("How long a refusal holds."),
          })
          .prefault({}),
      })
      .prefault({}),
  })
  .refine(({ tlsCertFile, tlsPrivateKeyFile }) => (tlsCertFile === undefined) === (tlsPrivateKeyFile === undefined), {
    error: "tlsCertFile and tlsPrivateKeyFile together, or neither",
  })
  .nullable()
  .default(null)
  .describe(
    "The kubelet's server: logs, exec, attach, port-forward, statistics and metrics over HTTPS, for an API server and what asks through it. null = none.",
  );

const options = z.record(z.string(), z.unknown(), { error: "options as an object" });
const specifier = z
  .string({ error: "the name or path of a module" })
  .min(1)
  .max(4096)
  .refine(withoutNul, { error: "a name or path without NUL" });

export const runtimeSchema = z
  .union([specifier, z.strictObject({ use: specifier, options: options.optional() })], {
    error: "a runtime's name, or {use: NAME, options: {...}}",
  })
  .describe("Runtime: a name (process), a package or a file; or {use, options}.");

export const entrySchema = z.union(
  [specifier, z.tuple([specifier]), z.tuple([specifier, z.union([options, z.literal(false)])])],
  { error: 'a plugin\'s name, or ["name", {options}], or ["name", false]' },
);

export const pluginsSchema = z
  .array(entrySchema, { error: "a list of plugins" })
  .max(100)
  .describe(
    'Plugins beside hooklet\'s own: "name" or ["name", {options}] adds or configures one, ["name", false] takes one away.',
  );

export const extendsSchema = z
  .union([specifier, z.array(specifier).max(20)], { error: "an rc file or package, or a list of them" })
  .optional()
  .describe(
    "The rc files this one is built on: a file relative to this one, or a package; or a list, the last winning.",
  );

export const rcSchema = z.strictObject({
  $schema: z
    .string()
    .max(4096)
    .optional()
    .describe("For editors: the JSON schema of this file, hookletrc.schema.json of the package hooklet."),
  extends: extendsSchema,
  rootDir: path
    .optional()
    .describe("State of the agent. Default: /var/lib/hooklet as root, else ~/.local/state/hooklet."),
  socket: path.optional().describe("Control socket. Default: hooklet.sock in rootDir."),
  port: whole(0, 65_535).default(10_248).describe("HTTP port on 127.0.0.1 for health and metrics; 0 = none."),
  readOnlyPort: whole(0, 65_535)
    .default(0)
    .describe(
      "HTTP port on 127.0.0.1 for pods, events, decisions and statistics, with values that may be secrets left out; 0 = none.",
    ),
  readOnlySocket: z
    .strictObject({ path, group: z.union([z.string().min(1).max(256), whole(0, 2 ** 32 - 2)], { error: "a group" }) })
    .nullable()
    .default(null)
    .describe(
      "A second socket that only reads, for a group: {path, group}; values that may be secrets are left out. null = none.",
    ),
  server: serverSchema,
  node: nodeSchema.prefault({}).describe("The node."),
  runtime: runtimeSchema.default(defaultRuntime),
  sources: sourcesSchema.prefault({}).describe(SOURCES),
  plugins: pluginsSchema.optional(),
});

/** A plugin that brings pods: it runs where its key of `sources` is set, with what stands there as its options. */
export interface SourcePlugin {
  readonly specifier: string;
  /** For the table of options. */
  readonly description: string;
  /** Options that name a file, found from the rc file that names it. */
  readonly files: readonly string[];
}

/** By key of `sources`. */
export type SourcePlugins = Readonly<Record<string, SourcePlugin>>;

/** The rc file of a build that has these sources beside the agent's own. The options of each are its plugin's business. */
export function rcSchemaWith(plugins: SourcePlugins): typeof rcSchema {
  const keys = Object.entries(plugins).map(([key, { description }]) => [
    key,
    z.looseObject({}).nullable().default(null).describe(description),
  ]);
  const sources = sourcesSchema.extend(Object.fromEntries(keys)).prefault({}).describe(SOURCES);
  return rcSchema.extend({ sources }) as unknown as typeof rcSchema;
}

/** The rc file as it is written. `defineConfig` gives it to rc files in JavaScript and TypeScript. */
export type HookletConfig = z.input<typeof rcSchema>;

/** Gives an rc file its types; returns it unchanged. */
export function defineConfig(config: HookletConfig): HookletConfig {
  return config;
}
