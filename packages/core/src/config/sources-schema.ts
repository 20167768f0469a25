/** `sources` of the rc file, and what plugins add to it. Pure. */
import { z } from "zod";
import { duration, path, withoutNul } from "./values.js";

const restrictions = z.strictObject({
  refusePrivileged: z
    .boolean()
    .default(false)
    .describe(
      "Refuse privileged containers, and capabilities, unconfined profiles and an unmasked /proc, beyond the profile Baseline of Kubernetes.",
    ),
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
    .describe(
      "Paths that hostPath volumes may name, with what is below them, as they are written. null = any. With a list, containers that come to other files of the node are refused as well: on the process runtime image host, whoever is root or can become it, and pods that share processes.",
    ),
  refuseProbeHosts: z
    .boolean()
    .default(false)
    .describe("Refuse probes and lifecycle handlers that name a host: the agent would ask it."),
});

export const SOURCES = "Where pods come from, beside the control socket.";
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
