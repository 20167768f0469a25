/** An rc file in a folder of its own, and modules that exist in memory only. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { defineRuntime } from "@hooklet/cri-api";
import { afterEach } from "@jest/globals";
import { z } from "zod";
import type { AgentConfig } from "../../core/src/config/agent-config.js";
import type { SourcePlugins } from "../../core/src/config/schema.js";
import { definePlugin, type NodePlugin } from "../../core/src/plugin/contract.js";
import type { ConfigFault } from "../src/faults/faults.js";
import { ConfigFaultsError } from "../src/faults/faults.js";
import { isPath } from "../src/load/candidates.js";
import { type Modules, nodeModules } from "../src/load/modules.js";
import { loadConfig } from "../src/load-config.js";
import type { ConfigFlags } from "../src/option-table.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hooklet-config-")));
  folders.push(folder);
  return folder;
}

export const processRuntime = defineRuntime({
  meta: { name: "process", api: 1 },
  options: z.object({ cgroups: z.boolean().default(true) }),
  create: () => {
    throw new Error("not created by the loader");
  },
});

/** A plugin with two options and a strategy point. */
export const gcPlugin = definePlugin({
  meta: { name: "@hooklet/plugin-gc", api: 1 },
  options: z.object({
    highThresholdPercent: z.number().min(0).max(100).default(85),
    lowThresholdPercent: z.number().min(0).max(100).default(80),
  }),
  strategies: {
    order: {
      lru: { description: "oldest first", options: z.object({}), create: () => () => "lru" },
      "largest-first": { description: "largest", options: z.object({}), create: () => () => "largest" },
    },
  },
  start() {},
}) as NodePlugin;

export interface Setup {
  /** File name -> text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Package name, or path relative to the folder -> default export. */
  readonly modules?: Readonly<Record<string, unknown>>;
  readonly flags?: ConfigFlags;
  readonly uid?: number;
  readonly trustSudoUser?: boolean;
  readonly hostname?: string;
  readonly defaultPlugins?: readonly string[];
  readonly sourcePlugins?: SourcePlugins;
  readonly env?: Readonly<Record<string, string>>;
}

/** Loads the configuration of a fresh folder. */
export async function load(setup: Setup): Promise<{ folder: string; config: AgentConfig }> {
  const folder = makeFolder();
  return { folder, config: await loadIn(folder, setup) };
}

export function loadIn(folder: string, setup: Setup): Promise<AgentConfig> {
  for (const [name, text] of Object.entries(setup.files ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const known: Record<string, unknown> = { "@hooklet/runtime-process": processRuntime, ...setup.modules };
  const modules: Modules = {
    resolve(specifier, from) {
      if (!isPath(specifier)) {
        return specifier in known ? join("/packages", specifier) : nodeModules.resolve(specifier, from);
      }
      const file = resolve(dirname(from), specifier);
      return file.slice(folder.length + 1) in known ? file : nodeModules.resolve(specifier, from);
    },
    async load(file) {
      const key = file.startsWith("/packages/") ? file.slice("/packages/".length) : file.slice(folder.length + 1);
      return key in known ? { default: known[key] } : nodeModules.load(file);
    },
  };
  return loadConfig({
    hooklet: pathToFileURL(join(folder, "hooklet/dist/index.js")).href,
    flags: setup.flags ?? {},
    cwd: folder,
    env: setup.env ?? { HOME: "/home/me" },
    // The folder is whose the tests are; root is to be an ordinary user here.
    uid: setup.uid ?? (process.geteuid?.() || 1000),
    trustSudoUser: setup.trustSudoUser ?? false,
    hostname: setup.hostname ?? "Worker-1",
    modules,
    systemFolder: join(folder, "etc"),
    plugins: setup.defaultPlugins ?? [],
    ...(setup.sourcePlugins && { sourcePlugins: setup.sourcePlugins }),
  });
}

/** The faults of a configuration that must have some, with file paths relative to the folder. */
export async function faultsOf(setup: Setup): Promise<readonly ConfigFault[]> {
  const folder = makeFolder();
  try {
    await loadIn(folder, setup);
  } catch (error) {
    if (error instanceof ConfigFaultsError) {
      const strip = (text: string) => text.replaceAll(`${folder}/`, "");
      return error.faults.map((one) => ({
        ...one,
        file: strip(one.file),
        expected: strip(one.expected),
        found: strip(one.found),
      }));
    }
    throw error;
  }
  throw new Error("expected faults, the configuration is clean");
}
