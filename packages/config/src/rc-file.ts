/** Finds and reads the rc file and the files that it extends, in order of precedence. */

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { extendsSchema } from "@hooklet/core/internal";
import { isRecord, kindOfValue } from "@hooklet/manifest";
import { errno, errorText, systemClock } from "@hooklet/utils";
import { type AsyncSearcher, type LilconfigResult, type Loader, lilconfig } from "lilconfig";
import { ConfigFaultsError, isConfigFaultsError, type Path, pathText, type ValueFault } from "./faults/faults.js";
import { parseWith } from "./faults/schema-faults.js";
import { isPath } from "./load/candidates.js";
import { nameInline } from "./load/import-file.js";
import { defaultExport, type Modules, withinLoadTime } from "./load/modules.js";
import { type Locate, locateIn, parseJsonText, parseYamlText, type RcFile, TextFault } from "./rc-text.js";

/** Files that one rc file may stand on, counted as often as they are named. */
const MAX_FILES = 50;

/**
 * The file after all that it extends. What stands later wins: a file over its bases, the second base over the first
 * with everything that one extends.
 * @throws ConfigFaultsError naming the file and line of the `extends` that is wrong
 */
async function withExtended(
  rc: RcFile,
  modules: Modules,
  read: (file: string) => Promise<RcFile>,
): Promise<readonly RcFile[]> {
  let files = 0;
  const visit = async (one: RcFile, above: readonly string[]): Promise<readonly RcFile[]> => {
    if (++files > MAX_FILES) {
      throw fault(rc, ["extends"], `at most ${MAX_FILES} rc files by way of extends`, "more");
    }
    const chain = [...above, realpathSync(one.file)];
    const bases: RcFile[] = [];
    for (const { specifier, path } of extended(one)) {
      const file = find(specifier, one, path, modules);
      const from = chain.indexOf(realpathSync(file));
      if (from >= 0) {
        const loop = [...chain.slice(from), chain[from]].join(" -> ");
        throw fault(one, path, "rc files that extend each other without a loop", `the loop ${loop}`);
      }
      bases.push(...(await visit(await read(file), chain)));
    }
    return [...bases, one];
  };
  return visit(rc, []);
}

function extended(rc: RcFile): readonly { readonly specifier: string; readonly path: Path }[] {
  const parsed = parseWith(extendsSchema, rc.raw.extends, ["extends"]);
  if (parsed.faults !== undefined) {
    throw new ConfigFaultsError(
      parsed.faults.map(({ path, ...rest }) => ({
        ...rest,
        file: rc.file,
        path: pathText(path),
        ...rc.locate(path),
      })),
    );
  }
  const { value } = parsed;
  if (typeof value === "string") return [{ specifier: value, path: ["extends"] }];
  return (value ?? []).map((specifier, index) => ({ specifier, path: ["extends", index] }));
}

function find(specifier: string, rc: RcFile, path: Path, modules: Modules): string {
  const what = isPath(specifier) ? `a file, relative to ${rc.file}` : `the package ${specifier}, installed`;
  const expected = `an rc file (${what})`;
  let file: string | undefined;
  try {
    file = modules.resolve(specifier, rc.file);
  } catch (error) {
    throw fault(rc, path, expected, `the error: ${errorText(error)}`);
  }
  if (file === undefined) throw fault(rc, path, expected, JSON.stringify(specifier));
  return file;
}

function fault(rc: RcFile, path: Path, expected: string, found: string): ConfigFaultsError {
  return new ConfigFaultsError([{ file: rc.file, path: pathText(path), expected, found, ...rc.locate(path) }]);
}

const NAME = "hooklet";
const extensions = ["json", "yaml", "yml", "js", "mjs", "cjs", "ts", "mts"];

/** File names searched in a folder, in this order. */
export const searchPlaces: readonly string[] = [
  `.${NAME}rc`,
  ...extensions.map((extension) => `.${NAME}rc.${extension}`),
  ...extensions.map((extension) => `${NAME}.config.${extension}`),
  "package.json",
];

/** Larger rc files are refused unread. */
const MAX_BYTES = 1024 * 1024;
/** Words and signs of YAML, ten times those of a long rc file: half a second of work. */
const MAX_WORDS = 30_000;
/** What an option may be called. A file with other keys may be /etc/shadow: none of it is shown. */
const OPTION = /^[$\w-]{1,64}$/;

interface RcSearch {
  /** `--config`: this file and no other. */
  readonly configFile?: string;
  /** In place of a search: this one, which has been read. */
  readonly rc?: RcFile;
  /** Searched otherwise, in this order; never the folders above them. */
  readonly folders: readonly string[];
  readonly modules: Modules;
  /** Why a file must not be read as root; called before anything of it is executed. */
  trust(file: string): ValueFault | undefined;
  /** Asked of a file that was found and not named, after the other. */
  trustFound(file: string): ValueFault | undefined;
}

/** What the loaders give back. */
interface Loaded {
  readonly raw: unknown;
  readonly locate: Locate;
}

/**
 * The rc file and what it extends: bases first, the rc file last. Empty when there is none.
 * @throws ConfigFaultsError when one cannot be read, is not safe to read as root, or is damaged
 */
export async function readRcFiles(search: RcSearch): Promise<readonly RcFile[]> {
  const load = loader(search);
  const found = search.rc ?? (await findRcFile(search, load));
  if (found === undefined) return [];
  return withExtended(found, search.modules, (file) =>
    orFault(file, async () => toRcFile(await explorer(load).load(checkKind(file)))),
  );
}

async function findRcFile(search: RcSearch, load: Loader): Promise<RcFile | undefined> {
  if (search.configFile !== undefined) {
    const file = resolve(search.configFile);
    return orFault(file, async () => toRcFile(await explorer(load).load(checkReadable(file))));
  }
  const found = loader({ ...search, trust: (file) => search.trust(file) ?? search.trustFound(file) });
  for (const folder of search.folders) {
    for (const place of searchPlaces) refuseUnfit(join(folder, place));
    // The folder is where the search stops as well: it never goes up.
    const result = await orFault(folder, () => explorer(found, folder).search(folder));
    if (result !== null) return toRcFile(result);
  }
  return undefined;
}

function explorer(load: Loader, stopDir = "/"): AsyncSearcher {
  const loaders = Object.fromEntries(extensions.map((extension) => [`.${extension}`, load]));
  return lilconfig(NAME, {
    searchPlaces: [...searchPlaces],
    stopDir,
    cache: false,
    loaders: { ...loaders, noExt: load, ".rc": load },
  });
}

async function orFault<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isConfigFaultsError(error)) throw error;
    throw fileFault(file, "an rc file that can be loaded", `the error: ${errorText(error)}`);
  }
}

/** @throws ConfigFaultsError when the file holds something else than options */
function toRcFile(result: LilconfigResult): RcFile {
  const { config, filepath: file = "" } = result ?? {};
  const { raw = {}, locate = () => undefined } = (config ?? {}) as Partial<Loaded>;
  const options = raw ?? {};
  if (!isRecord(options)) throw fileFault(file, "an object of options", kindOfValue(options));
  if (!Object.keys(options).every((key) => OPTION.test(key)))
    throw fileFault(file, "an object of options", "a key that is no option's name");
  return { file, raw: nameInline(options, file), locate };
}

function loader({ modules, trust }: Pick<RcSearch, "modules" | "trust">): Loader {
  return async (file, text) => {
    const inPackage = basename(file) === "package.json";
    // Any package.json may lie there; it matters only once it speaks to hooklet.
    if (inPackage && !hasOwnSection(text)) return {};
    const fault = trust(file);
    if (fault !== undefined) throw fileFault(file, fault.expected, fault.found);
    if (Buffer.byteLength(text) > MAX_BYTES) throw tooLarge(file, Buffer.byteLength(text));
    try {
      const loaded = await readAs(file, text, modules);
      if (!inPackage) return loaded;
      const inner: Locate = (path) => loaded.locate([NAME, ...path]);
      return { [NAME]: { raw: (loaded.raw as Record<string, unknown>)[NAME], locate: inner } };
    } catch (error) {
      if (error instanceof TextFault) throw fileFault(file, error.expected, error.message, error.position);
      throw fileFault(file, "an rc file that can be loaded", `the error: ${errorText(error)}`);
    }
  };
}

async function readAs(file: string, text: string, modules: Modules): Promise<Loaded> {
  switch (extname(file)) {
    case ".json":
      return { raw: parseJsonText(text), locate: locateIn(text) };
    case "":
    case ".rc":
    case ".yaml":
    case ".yml":
      return { raw: parseYamlText(text, MAX_WORDS), locate: locateIn(text) };
    default:
      return { raw: await withinLoadTime(systemClock, readModule(file, modules)), locate: () => undefined };
  }
}

async function readModule(file: string, modules: Modules): Promise<unknown> {
  const exported = defaultExport(await modules.load(file));
  if (exported === undefined) throw new TextFault("the configuration as the default export", "no default export");
  return exported;
}

function hasOwnSection(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && Object.hasOwn(value, NAME);
  } catch {
    // Not ours to complain about: it is another tool's file, and says nothing to hooklet.
    return false;
  }
}

/** The search passes over what it may not read, and waits at a FIFO; a daemon with the wrong configuration is worse than none. */
function refuseUnfit(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    if (errno(error) === "EACCES") {
      throw fileFault(file, "an rc file that may be read", "no permission to read it");
    }
    return;
  }
  checkKind(file);
}

function checkReadable(file: string): string {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw fileFault(file, "the rc file of --config", errno(error) === "ENOENT" ? "no such file" : errorText(error));
  }
  return checkKind(file);
}

/** Before its first byte is read: a device never ends, and a FIFO does not begin. */
function checkKind(file: string): string {
  const found = statSync(file);
  if (!found.isFile()) throw fileFault(file, "an rc file", `something else than a file, in ${dirname(file)}`);
  // A package.json is another tool's until it speaks to hooklet, which only its text tells.
  if (found.size > MAX_BYTES && basename(file) !== "package.json") throw tooLarge(file, found.size);
  return file;
}

function tooLarge(file: string, bytes: number): ConfigFaultsError {
  return fileFault(file, `an rc file of at most ${MAX_BYTES} bytes`, `${bytes} bytes`);
}

function fileFault(
  file: string,
  expected: string,
  found: string,
  position?: { line: number; column: number },
): ConfigFaultsError {
  return new ConfigFaultsError([{ file, path: "", expected, found, ...position }]);
}
