import type { RuntimeFactory } from "../runtime/factory.js";
import type { NodePlugin } from "./contract.js";

/** A plugin that was imported and checked, with its options parsed; the host starts it. */
export interface LoadedPlugin {
  readonly plugin: NodePlugin;
  /** Parsed by the plugin's schema. */
  readonly options: unknown;
  /** By strategy point. */
  readonly strategies?: Readonly<Record<string, unknown>>;
  /** The options with strategies as they are written, for messages. */
  readonly written?: Readonly<Record<string, unknown>>;
  /** As it stands in the rc file, and why it runs: `default`, or `FILE:LINE` of the entry that names it. */
  readonly specifier: string;
  readonly origin: string;
  /** Absolute path or package that it was loaded from. */
  readonly file: string;
}

export interface LoadedRuntime {
  readonly factory: RuntimeFactory;
  readonly options: unknown;
  readonly specifier: string;
}
