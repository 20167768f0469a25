/** The effective configuration: the rc file, defaults and command line in one, validated and resolved. */
import type { z } from "zod";
import type { SourceKey, SourceRestrictions } from "../admission/restrictions.js";
import type { LoadedPlugin, LoadedRuntime } from "../plugin/loaded.js";
import type { nodeSchema } from "./node-schema.js";
import type { serverSchema, sourcesSchema } from "./schema.js";

/** `node` of the rc file, with a name and the default eviction thresholds merged. Quantities are text, by resource. */
export type NodeConfig = z.output<typeof nodeSchema> & { readonly name: string };

/** `sources` of the rc file; the path of `manifests` is absolute, times are in seconds. */
export type SourcesConfig = Omit<z.output<typeof sourcesSchema>, "objects" | "restrictions"> & {
  readonly objects?: readonly SourceKey[];
  readonly restrictions?: SourceRestrictions;
};

/** `server` of the rc file; paths are absolute, times are in seconds. */
export type NodeServerConfig = NonNullable<z.output<typeof serverSchema>>;

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
  /** The uid of the user who called sudo, when that user's files count as root's. */
  readonly sudoUid?: number;
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
  /** What an rc file switched off: its name, its origin, and `FILE:LINE` of the rc file. */
  readonly switchedOff?: readonly SwitchedOff[];
  /** What is allowed and not wise, a sentence each. */
  readonly warnings?: readonly string[];
  /** Every setting with its value and where it comes from, for `hooklet check` and /configz. */
  readonly effective: readonly { readonly path: string; readonly value: unknown; readonly origin: string }[];
}
