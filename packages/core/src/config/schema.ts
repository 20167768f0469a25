/**
 * The rc file: every option with its default and its description. The option table of docs/reference/rc-file.md and the JSON
 * schema are generated from it. Names, units and defaults are KubeletConfiguration's where it has them. Pure.
 */
import { z } from "zod";
import { nodeSchema } from "./node-schema.js";
import { duration, path, whole, withoutNul } from "./values.js";

export const defaultRuntime = "process";

const options = z.record(z.string(), z.unknown(), { error: "options as an object" });
const specifier = z
  .string({ error: "the name or path of a module" })
  .min(1)
  .max(4096)
  .refine(withoutNul, { error: "a name or path without NUL" });

export const runtimeSchema = z
  .union(
    [
      specifier,
      z.strictObject({
        use: specifier.describe("Name, package or file of the runtime."),
        options: options.optional().describe("Options of the runtime; see its README."),
      }),
    ],
    {
      error: "a runtime's name, or {use: NAME, options: {...}}",
    },
  )
  .describe("Runtime: a name (process), a package or a file; or {use, options}.");

export const entrySchema = z.union(
  [specifier, z.tuple([specifier]), z.tuple([specifier, z.union([options, z.literal(false)])])],
  { error: 'a plugin\'s name, or ["name", {options}], or ["name", false]' },
);

export const pluginsSchema = z
  .array(entrySchema, { error: "a list of plugins" })
  .max(100)
  .describe('"name" or ["name", {options}] adds or configures a plugin, ["name", false] switches one off.');

export const extendsSchema = z
  .union([specifier, z.array(specifier).max(20)], { error: "an rc file or package, or a list of them" })
  .optional()
  .describe("Base rc files: a file relative to this one, a package, or a list; later ones override earlier ones.");

const enabled = (byDefault: boolean, what: string) =>
  z.strictObject({ enabled: z.boolean().default(byDefault).describe(what) }).prefault({});

export const serverSchema = z
  .strictObject({
    address: z
      .union([z.ipv4(), z.ipv6()], { error: "an IP address" })
      .default("0.0.0.0")
      .describe("Address on which it listens."),
    port: whole(1, 65_535).default(10_250).describe("Port on which it listens."),
    streamingConnectionIdleTimeout: duration("1s", "8760h")
      .prefault("4h")
      .describe(
        "Time after which a log, watch, command, attachment or forwarded port that is silent in both directions ends.",
      ),
    tlsCertFile: path().optional().describe("Certificate chain in PEM. Default: a self-signed certificate in rootDir."),
    tlsPrivateKeyFile: path().optional().describe("Key of tlsCertFile, in PEM."),
    authentication: z
      .strictObject({
        anonymous: enabled(false, "true: accept requests without credentials, as user system:anonymous."),
        webhook: z
          .strictObject({
            enabled: z
              .boolean()
              .default(true)
              .describe("true: accept bearer tokens that the API server confirms (TokenReview)."),
            cacheTTL: duration("0s", "24h")
              .prefault("2m")
              .describe("How long hooklet caches the answer about a token."),
          })
          .prefault({}),
        x509: z
          .strictObject({
            clientCAFile: path()
              .optional()
              .describe(
                "CA certificates of clients, in PEM: CN is the user, O its groups. Default: no client certificates.",
              ),
          })
          .prefault({}),
      })
      .prefault({}),
    authorization: z
      .strictObject({
        mode: z
          .enum(["Webhook", "AlwaysAllow"], { error: "Webhook or AlwaysAllow" })
          .default("Webhook")
          .describe(
            "Webhook: the API server decides (SubjectAccessReview). AlwaysAllow: every authenticated user may do everything.",
          ),
        webhook: z
          .strictObject({
            cacheAuthorizedTTL: duration("0s", "24h")
              .prefault("5m")
              .describe("How long hooklet caches an allowed request."),
            cacheUnauthorizedTTL: duration("0s", "24h")
              .prefault("30s")
              .describe("How long hooklet caches a denied request."),
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
    "The kubelet's server: logs, exec, attach, port-forward, statistics and metrics over HTTPS, for an API server and its clients. null = none.",
  );

const restrictions = z.strictObject({
  refusePrivileged: z
    .boolean()
    .default(false)
    .describe(
      "Reject privileged containers, and capabilities, unconfined profiles and an unmasked /proc that the Pod Security Standard Baseline forbids. Containers without a seccomp profile get RuntimeDefault.",
    ),
  refuseHostNamespaces: z.boolean().default(false).describe("Reject hostNetwork, hostPID and hostIPC."),
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
    .describe(
      "Paths that hostPath volumes may name, with everything below them. hooklet compares a path as written, and with links resolved before a container starts. null = any. With a list, containers that could reach other files of the node are rejected as well: on the process runtime, containers that use image host, run as root or do not set allowPrivilegeEscalation: false, and pods that share processes.",
    ),
  refuseProbeHosts: z
    .boolean()
    .default(false)
    .describe("Reject probes and lifecycle handlers that name a host, since the agent would connect to it."),
});

const SOURCES = "Where pods come from, beside the control socket.";
export const sourcesSchema = z.strictObject({
  manifests: path().nullable().default(null).describe("Folder of pod manifests, or one file. null = none."),
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
    .describe("Time between two full reads of the directory; changes are also watched."),
  httpCheckFrequency: duration("100ms", "24h").prefault("20s").describe("Time between two polls of the URL."),
  objects: z
    .array(z.enum(["manifests", "manifestUrl", "others"]))
    .max(3)
    .prefault([])
    .describe(
      "Sources whose pods see the ConfigMaps and Secrets of hooklet apply; pods of hooklet apply always see them. others: sources of plugins that bring no objects; the Kubernetes API brings its own. Pods of a restricted source never see these Secrets.",
    ),
  restrictions: z
    .strictObject({
      manifests: restrictions.optional(),
      manifestUrl: restrictions.optional(),
      control: restrictions.optional(),
      others: restrictions.optional(),
    })
    .prefault({})
    .describe(
      "What pods of a source may not ask for; others: the Kubernetes API, and sources of plugins. A source that is not named is not restricted.",
    ),
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

export const rcSchema = z.strictObject({
  $schema: z
    .string()
    .max(4096)
    .optional()
    .describe("For editors: the JSON schema of this file, hookletrc.schema.json of the package hooklet."),
  extends: extendsSchema,
  rootDir: path()
    .optional()
    .describe("State of the agent. Default: /var/lib/hooklet as root, else ~/.local/state/hooklet."),
  socket: path().optional().describe("Control socket. Default: hooklet.sock in rootDir."),
  port: whole(0, 65_535).default(10_248).describe("HTTP port on 127.0.0.1 for health and metrics; 0 = none."),
  healthzPort: whole(0, 65_535)
    .default(0)
    .describe(
      "Separate HTTP port for health alone, so that readers of metrics cannot slow it down; 0 = none. A kubelet uses 10248, which is the default of port here.",
    ),
  healthzBindAddress: z
    .union([z.ipv4(), z.ipv6()], { error: "an IP address" })
    .default("127.0.0.1")
    .describe("Address on which healthzPort listens. Clients see which parts of the agent fail."),
  readOnlyPort: whole(0, 65_535)
    .default(0)
    .describe(
      "HTTP port on 127.0.0.1 for pods, events, decisions and statistics, with values that may be secrets left out; 0 = none.",
    ),
  readOnlySocket: z
    .strictObject({
      path: path().describe("Path of the socket."),
      group: z
        .union([z.string().min(1).max(256), whole(0, 2 ** 32 - 2)], { error: "a group" })
        .describe("Group that can use it: a name or a number."),
    })
    .nullable()
    .default(null)
    .describe("A read-only socket for a group: {path, group}; values that may be secrets are left out. null = none."),
  server: serverSchema,
  node: nodeSchema.prefault({}).describe("The node."),
  runtime: runtimeSchema.default(defaultRuntime),
  sources: sourcesSchema.prefault({}).describe(SOURCES),
  plugins: pluginsSchema.optional(),
});

/** The rc file of a build with these sources in addition to core's. Each plugin validates its source's options. */
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
