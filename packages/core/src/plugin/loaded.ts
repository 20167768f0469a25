import type { RuntimeFactory } from "@hooklet/cri-api";
import { processWide } from "@hooklet/utils";
import { z } from "zod";
import type { NodePlugin, OptionsSchema } from "./contract.js";

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

/** What a plugin without options takes. */
export const noOptions = z.strictObject({});

/** The schema itself, also where it was given as a function of zod. */
export function schemaOf<Options>(options: OptionsSchema<Options>): z.ZodType<Options> {
  return typeof options === "function" ? options(z) : options;
}

/** Undefined when it is a zod 4 schema, else what was found instead. */
export function notASchema(schema: unknown): string | undefined {
  if (typeof schema === "object" && schema !== null) {
    if ("_zod" in schema) return undefined;
    if ("safeParse" in schema) return "a schema of zod 3";
  }
  return `a value of type ${schema === null ? "null" : typeof schema}`;
}

// What the rc file calls the strategies that plugins got.

/** Process-wide, also for a plugin with its own copy of core: that copy looks up what this one registered. */
const names = processWide("strategy-names", () => new WeakMap<object, string>());

/** What the rc file calls a strategy that `start` got: a built-in's name, or the file or package it came from. */
export function strategyName(strategy: object): string | undefined {
  return names.get(strategy);
}

export function nameStrategy(strategy: object, name: string): void {
  names.set(strategy, name);
}
