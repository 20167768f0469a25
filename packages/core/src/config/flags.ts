import { join, resolve } from "node:path";
import type { Path } from "../faults/faults.js";
import { setAt } from "../lib/set-at.js";
import type { Layer } from "./layers.js";

/** What the command line may say about the configuration. */
export interface ConfigFlags {
  /** `--config`, relative to the working directory. */
  readonly config?: string;
  readonly manifests?: string;
  readonly runtime?: string;
  readonly rootDir?: string;
  readonly socket?: string;
  readonly nodeName?: string;
  readonly port?: number;
  /** Flags that set options of sources. */
  readonly sources?: readonly SourceFlag[];
}

/** For example `--queue-token FILE`: option `tokenFile` of `sources.queue`. */
export interface SourceFlag {
  readonly flag: string;
  readonly source: string;
  readonly option: string;
  /** Relative to the working directory. */
  readonly file: string;
}

interface FlagRule {
  readonly flag: string;
  readonly path: readonly string[];
  /** Relative to the working directory, not to the rc file. */
  readonly isPath?: boolean;
}

const rules: Readonly<Record<Exclude<keyof ConfigFlags, "config" | "sources">, FlagRule>> = {
  manifests: { flag: "--manifests", path: ["sources", "manifests"], isPath: true },
  runtime: { flag: "--runtime", path: ["runtime"] },
  rootDir: { flag: "--root-dir", path: ["rootDir"], isPath: true },
  socket: { flag: "--socket", path: ["socket"], isPath: true },
  nodeName: { flag: "--node-name", path: ["node", "name"] },
  port: { flag: "--port", path: ["port"] },
};

/** The command line as a layer over the rc files; relative paths start at the working directory. */
export function flagLayer(flags: ConfigFlags, cwd: string): Layer {
  const raw: Record<string, unknown> = {};
  const used: FlagRule[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const value = flags[name as keyof typeof rules];
    if (value === undefined) continue;
    setAt(raw, rule.path, rule.isPath && typeof value === "string" ? resolve(cwd, value) : value);
    used.push(rule);
  }
  for (const { flag, source, option, file } of flags.sources ?? []) {
    const rule = { flag, path: ["sources", source, option] };
    setAt(raw, rule.path, resolve(cwd, file));
    used.push(rule);
  }
  const flagOf = (path: Path): FlagRule | undefined =>
    used.find(({ path: own }) => own.every((step, index) => path[index] === step));
  return {
    file: join(cwd, "hooklet.config.js"),
    raw,
    place: (path) => ({ file: flagOf(path)?.flag ?? "command line" }),
  };
}
