import type { Path } from "../faults/faults.js";
import { pathText } from "../faults/faults.js";
import { documentPath } from "./document-path.js";
import type { RcFile } from "./rc-file.js";
import type { AgentConfig, LoadedPlugin, LoadedRuntime } from "./types.js";
import { formatDuration } from "./values.js";

export type Setting = AgentConfig["effective"][number];

export interface EffectiveInput {
  /** Everything but runtime and plugins, as the agent gets it. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The rc file under the command line, as written. */
  readonly merged: Readonly<Record<string, unknown>>;
  readonly runtime: LoadedRuntime;
  readonly plugins: readonly LoadedPlugin[];
  readonly rc: RcFile | undefined;
  flagOf(path: Path): string | undefined;
}

/** Shown instead of what may be a secret, as the kubelet does. */
const MASKED = "<masked>";

/** Every setting with its value and its origin: a flag, `FILE:LINE`, or `default`. */
export function effectiveSettings(input: EffectiveInput): readonly Setting[] {
  const { settings, merged, runtime, plugins } = input;
  const entry = (path: Path, value: unknown): Setting => ({
    path: pathText(path),
    value: shown(path, value),
    origin: originOf(path, input),
  });
  const own = flatten(settings, []).map(([path, value]) => entry(path, value));
  const options = Object.entries(runtime.options ?? {}).flatMap(([key, value]) =>
    flatten(value, ["runtime", "options", key]).map(([path, leaf]) => entry(path, leaf)),
  );
  const use = typeof merged.runtime === "object" ? ["runtime", "use"] : ["runtime"];
  return [
    ...own,
    entry(use, runtime.specifier),
    ...options.filter(({ value }) => value !== undefined),
    ...plugins.flatMap((plugin) => pluginSettings(plugin, input, entry)),
  ];
}

function pluginSettings(
  { plugin, specifier, origin, written = {} }: LoadedPlugin,
  { merged }: EffectiveInput,
  entry: (path: Path, value: unknown) => Setting,
): readonly Setting[] {
  const index = /^plugins\[(\d+)\]$/.exec(origin)?.[1];
  // A default plugin has no place in the file; its options go by its name.
  if (index === undefined) {
    const all = [
      [["plugins", plugin.meta.name], specifier] as const,
      ...flatten(written, ["plugins", plugin.meta.name]),
    ];
    return all.map(([path, value]) => ({ path: pathText(path), value, origin: "default" }));
  }
  const path: Path = ["plugins", Number(index)];
  const all = flatten(written, path).filter(([, value]) => value !== undefined);
  return [
    entry(path, Array.isArray(merged.plugins) ? specifier : undefined),
    ...all.map(([at, value]) => entry(at, value)),
  ];
}

/** As the rc file would have it. */
function shown(path: Path, value: unknown): unknown {
  if (path[0] !== "sources") return value;
  if (path[1] === "manifestUrlHeader" && path.length > 2) return MASKED;
  return typeof value === "number" ? formatDuration(value) : value;
}

function originOf(path: Path, { merged, rc, flagOf }: EffectiveInput): string {
  const flag = flagOf(path);
  if (flag !== undefined) return flag;
  const written = documentPath(path, merged);
  if (rc === undefined || !isSet(merged, written)) return "default";
  const position = rc.locate(written);
  return position === undefined ? rc.file : `${rc.file}:${position.line}`;
}

function isSet(root: unknown, path: Path): boolean {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return value !== undefined;
}

/** Leaves with their paths. Lists and empty objects are leaves. */
function flatten(value: unknown, path: Path): readonly (readonly [Path, unknown])[] {
  const isBranch = typeof value === "object" && value !== null && isPlain(value) && Object.keys(value).length > 0;
  if (!isBranch) return path.length === 0 ? [] : [[path, value]];
  return Object.entries(value).flatMap(([key, item]) => flatten(item, [...path, key]));
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null ? !Array.isArray(value) : false;
}

/** The effective configuration for programs: `{file, settings: [{path, value, origin}]}`. */
export function configJson({ file, effective }: AgentConfig): {
  readonly file: string | null;
  readonly settings: readonly { readonly path: string; readonly value: unknown; readonly origin: string }[];
} {
  return { file: file ?? null, settings: effective.map((one) => ({ ...one, value: one.value ?? null })) };
}
