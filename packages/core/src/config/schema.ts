/**
 * The rc file: every option with its default and its description. The option table of docs/rc-file.md and the JSON
 * schema are made of it. Names, units and defaults are KubeletConfiguration's where it has them. Pure.
 */
import { z } from "zod";
import { defaultRuntime } from "../load/candidates.js";
import { extendsSchema, pluginsSchema, runtimeSchema } from "./entry-schema.js";
import { nodeSchema } from "./node-schema.js";
import { serverSchema } from "./server-schema.js";
import { SOURCES, type SourcePlugins, sourcesSchema } from "./sources-schema.js";
import { path, whole } from "./values.js";

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
      "HTTP port for health and nothing else, beside the one of port, whose requests for metrics it does not share; 0 = none. A kubelet's is 10248, which port has here.",
    ),
  healthzBindAddress: z
    .union([z.ipv4(), z.ipv6()], { error: "an IP address" })
    .default("127.0.0.1")
    .describe("Address on which healthzPort listens. Who reaches it sees which parts of the agent fail."),
  readOnlyPort: whole(0, 65_535)
    .default(0)
    .describe(
      "HTTP port on 127.0.0.1 for pods, events, decisions and statistics, with values that may be secrets left out; 0 = none.",
    ),
  readOnlySocket: z
    .strictObject({
      path: path(),
      group: z.union([z.string().min(1).max(256), whole(0, 2 ** 32 - 2)], { error: "a group" }),
    })
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
