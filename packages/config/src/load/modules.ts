import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import * as module from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundled, coreFolder } from "@hooklet/core/internal";
import { isRecord } from "@hooklet/manifest";
import { type Clock, systemClock, unless, withDeadline } from "@hooklet/utils";
import { resolve as resolveModule } from "import-meta-resolve";
import { isPath } from "./candidates.js";
import { type OwnPackages, ownPackages } from "./own-packages.js";

/** How plugins, runtimes and strategies are found and imported; tests bring their own. */
export interface Modules {
  /**
   * The absolute path of the file behind a path or package name, resolved from `from` (an absolute file); undefined when
   * there is none.
   * @throws Error when the package exists and its `exports` do not let it be imported
   */
  resolve(specifier: string, from: string): string | undefined;
  /** Imports the file and returns its namespace. Rejects with what its code throws. */
  load(file: string): Promise<unknown>;
}

const MISSING: readonly string[] = ["ERR_MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT"];

/** Node's own resolution of ES modules. */
export const nodeModules: Modules = {
  resolve(specifier, from) {
    if (isPath(specifier)) {
      const file = resolve(dirname(from), specifier);
      return existsSync(file) && statSync(file).isFile() ? file : undefined;
    }
    const own = bundled.get(specifier);
    return own === undefined ? installed(specifier, from) : bundledOrNear(own, specifier, from);
  },
  async load(file) {
    if (/\.[cm]?ts$/.test(file)) enableTypeScript();
    await lendPackages(file);
    try {
      return await withinLoadTime(systemClock, import(versionOf(file)));
    } catch (error) {
      throw await withPlace(error, file);
    }
  },
};

/** By file, when it changed last before it was loaded first. */
const loaded = new Map<string, number>();

/** The file's URL; of a file that has changed since it was loaded, as for a reload, one that Node has not loaded yet. */
function versionOf(file: string): string {
  const { href } = pathToFileURL(file);
  const { mtimeMs } = statSync(file);
  const first = loaded.get(file) ?? mtimeMs;
  loaded.set(file, first);
  return mtimeMs === first ? href : `${href}?changed=${mtimeMs}`;
}

function installed(specifier: string, from: string): string | undefined {
  return unless(MISSING, undefined, () => {
    const file = fileURLToPath(resolveModule(specifier, pathToFileURL(from).href));
    return existsSync(file) ? file : undefined;
  });
}

/** The file in the bundle; or a nearer package, if it differs from hooklet's own. */
function bundledOrNear(own: string, specifier: string, from: string): string | undefined {
  if (isBundled(from)) return fileURLToPath(own);
  const near = installed(specifier, from);
  return near !== undefined && near === installed(specifier, coreFolder) ? fileURLToPath(own) : near;
}

function isBundled(file: string): boolean {
  return bundled.size > 0 && file.startsWith(coreFolder);
}

let lent = false;

/**
 * From here on hooklet's packages are those of the running hooklet, for every importer: a bundle is a separate copy. Where hooklet runs
 * from packages, files without their own copy get them. Hooks cost time, so they are only installed when needed.
 */
async function lendPackages(file: string): Promise<void> {
  if (lent || isBundled(file)) return;
  if (bundled.size === 0) {
    if (nodeModules.resolve("@hooklet/core", file) !== undefined) return;
    if (!(await readFile(file, "utf8").catch(() => "")).includes("@hooklet/")) return;
  }
  lent = true;
  // In this thread from Node 22.15 on: there a CommonJS file may `require` a module, and hooks in a separate thread are not called.
  const { registerHooks } = module as { registerHooks?: (hooks: { readonly resolve: OwnPackages }) => void };
  if (registerHooks !== undefined) registerHooks({ resolve: ownPackages(bundled) });
  else module.register("./own-packages-loader.js", import.meta.url, { data: bundled });
}

/** Seconds that the code of a module may take before it has loaded. */
const LOAD_SECONDS = 30;

/** A module may wait for something that never comes, at its top level. */
export function withinLoadTime<T>(clock: Clock, loading: Promise<T>): Promise<T> {
  const late = (): Error => new Error(`its top level was expected to end within ${LOAD_SECONDS} s and is still busy`);
  return withDeadline(clock, LOAD_SECONDS * 1000, loading, late);
}

/** The default export, also of a CommonJS file that was compiled from a `export default`. */
export function defaultExport(namespace: unknown): unknown {
  const first = (namespace as { default?: unknown } | undefined)?.default;
  if (typeof first === "object" && first !== null && "__esModule" in first && "default" in first) return first.default;
  return first;
}

let enabled = false;

/**
 * Lets this process import TypeScript files: by Node itself where it strips types (22.18 and later), otherwise by a
 * loader that strips them with @swc/wasm-typescript, the same code that Node uses. Types are removed, not checked;
 * enums and other TypeScript that is more than types is refused by the stripper.
 */
function enableTypeScript(): void {
  if (enabled || (process.features as { typescript?: unknown }).typescript) return;
  enabled = true;
  module.register("./typescript-loader.js", import.meta.url);
}

/** Lines that are shown before the faulty one, and behind it. */
const BEFORE = 2;
const BEHIND = 1;

interface SyntaxFault {
  readonly message: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

/** The error with file, line, column and a few lines of the file, where it is one of syntax in this file; otherwise the error itself. */
export async function withPlace(error: unknown, file: string): Promise<unknown> {
  const fault = faultOf(error) ?? (error instanceof SyntaxError ? await parseFault(file) : undefined);
  if (fault === undefined) return error;
  const text = await readFile(file, "utf8").catch(() => "");
  const place = `${file}:${fault.line}:${fault.column + 1}`;
  const advice = /not supported in strip-only mode/.test(fault.message)
    ? " Only types are stripped: write it as plain JavaScript, or compile the file first."
    : "";
  return new SyntaxError(`${fault.message} (${place})${advice}\n${codeFrame(text, fault)}`, { cause: error });
}

/** What the stripper of types throws is a plain object. */
function faultOf(error: unknown): SyntaxFault | undefined {
  if (!isRecord(error) || typeof error.message !== "string" || typeof error.startLine !== "number") return undefined;
  return { message: error.message, line: error.startLine, column: Number(error.startColumn ?? 0) };
}

/** What is JavaScript is TypeScript as well, so its parser finds the place in both. */
async function parseFault(file: string): Promise<SyntaxFault | undefined> {
  try {
    const { transform } = await import("@swc/wasm-typescript");
    await transform(await readFile(file, "utf8"), { filename: file, mode: "strip-only", module: true });
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}

function codeFrame(text: string, { line, column }: SyntaxFault): string {
  const lines = text.split("\n");
  const first = Math.max(1, line - BEFORE);
  const last = Math.min(lines.length, line + BEHIND);
  const width = String(last).length;
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    .flatMap((number) => {
      const row = `${number === line ? ">" : " "} ${String(number).padStart(width)} | ${(lines[number - 1] ?? "").slice(0, 160)}`;
      return number === line ? [row, `  ${" ".repeat(width)} | ${" ".repeat(Math.min(column, 160))}^`] : [row];
    })
    .join("\n");
}
