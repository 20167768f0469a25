import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { cosmiconfig, type Loader } from "cosmiconfig";
import { systemClock } from "../clock.js";
import { errorText } from "../errors.js";
import { ConfigFaultsError, isConfigFaultsError, type ValueFault } from "../faults/faults.js";
import { type Locate, locateIn } from "./locate.js";
import { defaultExport, type Modules, withinLoadTime } from "./modules.js";
import { parseJsonText, parseYamlText, TextFault } from "./parse-text.js";

const NAME = "hooklet";
const extensions = ["json", "yaml", "yml", "js", "mjs", "cjs", "ts", "mts"];

/** What is looked for in a folder, in this order. */
export const searchPlaces: readonly string[] = [
  `.${NAME}rc`,
  ...extensions.map((extension) => `.${NAME}rc.${extension}`),
  ...extensions.map((extension) => `${NAME}.config.${extension}`),
  "package.json",
];

/** Larger rc files are refused unread. */
const MAX_BYTES = 1024 * 1024;

export interface RcFile {
  /** Absolute. */
  readonly file: string;
  /** As it stands there, unchecked; an empty file is an empty object. */
  readonly raw: unknown;
  readonly locate: Locate;
}

export interface RcSearch {
  /** `--config`: this file and no other. */
  readonly configFile?: string;
  /** Searched otherwise, in this order; never the folders above them. */
  readonly folders: readonly string[];
  readonly modules: Modules;
  /** What makes a file unfit to be read as root; asked before anything of it is run. */
  trust(file: string): ValueFault | undefined;
}

/** What our loaders give to cosmiconfig, so that it neither merges nor follows a `$import` of the file itself. */
interface Loaded {
  readonly raw: unknown;
  readonly locate: Locate;
}

/**
 * The rc file, or undefined when there is none.
 * @throws ConfigFaultsError when it cannot be read, is not safe to read as root, or is damaged
 */
export async function readRcFile(search: RcSearch): Promise<RcFile | undefined> {
  const explorer = makeExplorer(search);
  const found = search.configFile === undefined ? undefined : resolve(search.configFile);
  try {
    if (found !== undefined) return toRcFile(await explorer.load(checkReadable(found)));
    for (const folder of search.folders) {
      for (const place of searchPlaces) refuseUnreadable(join(folder, place));
      const result = await explorer.search(folder);
      if (result !== null) return toRcFile(result);
    }
    return undefined;
  } catch (error) {
    if (isConfigFaultsError(error)) throw error;
    const file = (error as { filepath?: string }).filepath ?? found ?? search.folders[0] ?? "";
    throw fileFault(file, "an rc file that can be loaded", `the error: ${errorText(error)}`);
  }
}

function toRcFile(result: { config: Loaded; filepath: string; isEmpty?: boolean } | null): RcFile | undefined {
  if (result === null) return undefined;
  const { raw, locate } = result.config ?? { raw: {}, locate: () => undefined };
  return { file: result.filepath, raw: raw ?? {}, locate };
}

/**
 * cosmiconfig() itself runs a `.config/config.js` of the working directory, which nobody asked for and nobody checked;
 * so it is called where only root can have put one.
 */
function makeExplorer(search: RcSearch): ReturnType<typeof cosmiconfig> {
  const here = process.cwd();
  process.chdir("/");
  try {
    const load = loader(search);
    const loaders = Object.fromEntries(extensions.map((extension) => [`.${extension}`, load]));
    return cosmiconfig(NAME, {
      searchPlaces: [...searchPlaces],
      searchStrategy: "none",
      cache: false,
      loaders: { ...loaders, noExt: load },
    });
  } finally {
    process.chdir(here);
  }
}

function loader({ modules, trust }: RcSearch): Loader {
  return async (file, text) => {
    const inPackage = basename(file) === "package.json";
    // Any package.json may lie there; it matters only once it speaks to hooklet.
    if (inPackage && !hasOwnSection(text)) return {};
    const fault = trust(file);
    if (fault !== undefined) throw fileFault(file, fault.expected, fault.found);
    if (Buffer.byteLength(text) > MAX_BYTES) {
      throw fileFault(file, `an rc file of at most ${MAX_BYTES} bytes`, `${Buffer.byteLength(text)} bytes`);
    }
    try {
      const loaded = await readAs(file, text, modules);
      if (!inPackage) return loaded;
      const inner: Locate = (path) => loaded.locate([NAME, ...path]);
      return { [NAME]: { raw: (loaded.raw as Record<string, unknown>)[NAME], locate: inner } };
    } catch (error) {
      if (!(error instanceof TextFault)) throw error;
      throw fileFault(file, error.expected, error.message, error.position);
    }
  };
}

async function readAs(file: string, text: string, modules: Modules): Promise<Loaded> {
  switch (extname(file)) {
    case ".json":
      return { raw: parseJsonText(text), locate: locateIn(text) };
    case "":
    case ".yaml":
    case ".yml":
      return { raw: parseYamlText(text), locate: locateIn(text) };
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

/** cosmiconfig passes over what it may not read; a daemon with the wrong configuration is worse than none. */
function refuseUnreadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") {
      throw fileFault(file, "an rc file that may be read", "no permission to read it");
    }
  }
}

function checkReadable(file: string): string {
  try {
    if (statSync(file).isFile()) {
      readFileSync(file, { flag: "r" });
      return file;
    }
  } catch (error) {
    throw fileFault(file, "the rc file of --config", errorText(error));
  }
  throw fileFault(file, "the rc file of --config", `something else than a file, in ${dirname(file)}`);
}

function fileFault(
  file: string,
  expected: string,
  found: string,
  position?: { line: number; column: number },
): ConfigFaultsError {
  return new ConfigFaultsError([{ file, path: "", expected, found, ...position }]);
}
