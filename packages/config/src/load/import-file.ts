/** Finding and importing what the rc file names: a file, a package, or a plugin that an rc file in JavaScript holds itself. */
import { isRecord, nearest } from "@hooklet/manifest";
import { errorText } from "@hooklet/utils";
import { type Path, type ValueFault, valueFault, wordFault } from "../faults/faults.js";
import { isPath } from "./candidates.js";
import { defaultExport, type Modules } from "./modules.js";

const held = new Map<string, { readonly value: unknown; readonly file: string }>();

/** The options with a name in place of each inline plugin: `FILE#NAME`. A file that is read again brings new plugin objects. */
export function nameInline(
  options: Readonly<Record<string, unknown>>,
  file: string,
): Readonly<Record<string, unknown>> {
  const { plugins } = options;
  if (!Array.isArray(plugins)) return options;
  const named = (entry: unknown): unknown => (isPlugin(entry) ? remember(entry, file) : entry);
  return {
    ...options,
    plugins: plugins.map((entry: unknown) =>
      Array.isArray(entry) ? [named(entry[0]), ...entry.slice(1)] : named(entry),
    ),
  };
}

export function inlinePlugin(specifier: string): { readonly value: unknown; readonly file: string } | undefined {
  return held.get(specifier);
}

function isPlugin(entry: unknown): entry is { readonly meta: { readonly name: string } } {
  return isRecord(entry) && isRecord(entry.meta) && typeof entry.meta.name === "string";
}

function remember(plugin: { readonly meta: { readonly name: string } }, file: string): string {
  const specifier = `${file}#${plugin.meta.name}`;
  held.set(specifier, { value: plugin, file });
  return specifier;
}

/** Resolves and imports modules. */
export interface Importer {
  readonly modules: Modules;
  /** The rc file that names what stands at this path, or a file in the working directory. Absolute. */
  from(path: Path): string;
  /** A file of the hooklet package: its own plugins and runtimes are found from here. Absolute. */
  readonly hooklet: string;
  /** Why a file must not be executed, see config/trust.ts. Not called for hooklet's own files. */
  trust(file: string, path: Path): ValueFault | undefined;
}

type Imported =
  | { readonly value: unknown; readonly file: string; readonly fault?: undefined }
  | { readonly fault: ValueFault };

export interface ImportRequest {
  /** `plugin`, `runtime`, `strategy`: as errors say it. */
  readonly what: string;
  /** As it stands in the rc file. */
  readonly specifier: string;
  /** Possible names; the first existing one wins. */
  readonly names: readonly string[];
  readonly path: Path;
  /** Names to suggest from when none exists. */
  readonly known: readonly string[];
}

/** Finds, checks and imports one module. Undefined: there is none. Never throws. */
export async function importFile(request: ImportRequest, importer: Importer): Promise<Imported | undefined> {
  const { what, specifier, path } = request;
  const inline = inlinePlugin(specifier);
  if (inline !== undefined) return inline;
  const loadable = `a ${what} that can be loaded`;
  let file: string | undefined;
  try {
    const found = find(request, importer);
    if (found === undefined) return undefined;
    file = found.file;
    const fault = found.own ? undefined : importer.trust(file, path);
    if (fault !== undefined) return { fault };
    return { value: defaultExport(await importer.modules.load(file)), file };
  } catch (error) {
    const named = file === undefined ? JSON.stringify(specifier) : file;
    return { fault: wordFault(path, loadable, `the error in ${named}: ${errorText(error)}`) };
  }
}

function find({ names, path }: ImportRequest, importer: Importer): { file: string; own: boolean } | undefined {
  const { modules, hooklet } = importer;
  const from = importer.from(path);
  for (const name of names) {
    const near = modules.resolve(name, from);
    if (near !== undefined) return { file: near, own: !isPath(name) && near === modules.resolve(name, hooklet) };
    const own = isPath(name) ? undefined : modules.resolve(name, hooklet);
    if (own !== undefined) return { file: own, own: true };
  }
  return undefined;
}

/** The fault of a module that is not there. */
export function missing(request: ImportRequest, importer: Importer): ValueFault {
  const { what, specifier, names, path, known } = request;
  const from = importer.from(path);
  if (isPath(specifier))
    return wordFault(path, `a ${what} (a file, relative to ${from})`, `no such file: ${JSON.stringify(specifier)}`);
  const own = what === "runtime" ? `${known.join(", ")}, or ` : "";
  const where = `${own}an installed package: ${names.join(" or ")}`;
  const asFile = `./${specifier}`;
  const isFile = importer.modules.resolve(asFile, from) !== undefined;
  return valueFault(path, `a ${what} (${where})`, specifier, isFile ? [asFile] : nearest(specifier, known));
}
