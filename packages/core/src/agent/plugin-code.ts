/** Whose code an error was thrown in: a plugin is all files of its package, or of the folder that its one file lies in. */
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { coreFolder } from "../one-core.js";

export interface PluginCode {
  readonly name: string;
  /** Its entry, without links. */
  readonly file: string;
  /** What lies in here is its code as well; its entry where that has no folder for itself. */
  readonly folder: string;
  /** Libraries below `node_modules` of the folder are its own: hooklet is not among them. */
  readonly libraries: boolean;
}

/** @param core folder of core's code */
export function pluginCode(name: string, entry: string, core = coreFolder): PluginCode {
  const own = realOr(core);
  const file = moduleOf(realOr(entry), own);
  const beside = path.dirname(file);
  // A project that has hooklet installed is still the plugin's; a folder with hooklet's own checkout in it is not.
  const folder = [packageOf(beside) ?? beside, beside].find((at) => !holds(at, own) || isInstalled(at, own)) ?? file;
  return { name, file, folder, libraries: !holds(folder, own) };
}

/** Of a plugin in the bundle, what its entry hands on (docs/adr/0022-the-program-is-a-bundle.md). */
function moduleOf(entry: string, own: string): string {
  const module = entry.replace(/\.js$/, ".cjs");
  return holds(own, entry) && existsSync(module) ? module : entry;
}

function holds(folder: string, file: string): boolean {
  return !path.relative(folder, file).startsWith("..");
}

function isInstalled(folder: string, file: string): boolean {
  return path.relative(folder, file).split(path.sep).includes("node_modules");
}

/** The nearest folder with a package.json, from here upwards. */
function packageOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, "package.json"))) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

function realOr(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/**
 * The plugin whose callback threw: its stack has only Node below it (a timer, a socket, an aborted signal). Undefined for a stack that
 * may be truncated, that contains a file outside of plugins, or that contains two plugins in different folders. Of plugins that
 * share a folder, the one whose entry is on the stack, else the first. Pure.
 * @param limit frames at which V8 cuts a stack
 */
export function thrownBy(
  error: unknown,
  plugins: readonly PluginCode[],
  limit = Error.stackTraceLimit,
): string | undefined {
  const stack = stackOf(error)
    .split("\n")
    .filter((line) => line.startsWith("    at "));
  const frames = beforeDispatch(stack);
  if (frames === stack && stack.length >= limit) return undefined;
  const files = [...new Set(frames.map(fileOf).filter((file) => file !== undefined))];
  if (files.length === 0) return undefined;
  const entries = plugins.filter(({ file }) => files.includes(file));
  if (entries.length > 1) return undefined;
  return (entries.length === 1 ? entries : plugins).find((plugin) => files.every((file) => isOf(plugin, file)))?.name;
}

/**
 * The frames above the first event dispatch by Node (an aborted signal): the dispatch catches what a listener throws, so the code
 * below was not interrupted. All frames when there is no dispatch.
 */
function beforeDispatch(stack: readonly string[]): readonly string[] {
  const at = stack.findIndex((frame) => frame.includes("(node:internal/event_target:"));
  return at < 0 ? stack : stack.slice(0, at);
}

function isOf({ file: entry, folder, libraries }: PluginCode, file: string): boolean {
  if (file === entry) return true;
  if (!file.startsWith(folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`)) return false;
  return libraries || !path.relative(folder, file).split(path.sep).includes("node_modules");
}

/** Foreign errors may throw when their stack is read. */
function stackOf(error: unknown): string {
  try {
    const stack = error instanceof Error ? error.stack : undefined;
    return typeof stack === "string" ? stack : "";
  } catch {
    return "";
  }
}

/** Of a frame: `at f (file:///a.mjs:1:2)`, `at /a.js:1:2`; undefined for Node's own files and what V8 does itself. */
function fileOf(frame: string): string | undefined {
  const place = (/\((?<inner>[^()]*)\)$/.exec(frame)?.groups?.inner ?? frame.slice("    at ".length)).replace(
    /^async /,
    "",
  );
  if (place.startsWith("node:") || ["<anonymous>", "native"].includes(place) || /^index \d+$/.test(place)) {
    return undefined;
  }
  const file = place.replace(/(:\d+){1,2}$/, "");
  if (!file.startsWith("file://")) return file;
  try {
    return fileURLToPath(file);
  } catch {
    return file;
  }
}
