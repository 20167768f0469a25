import { join, resolve } from "node:path";
import type { Path } from "../faults/faults.js";
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
}

interface FlagRule {
  readonly flag: string;
  readonly path: readonly [string] | readonly [string, string];
  /** Relative to the working directory, not to the rc file. */
  readonly isPath?: boolean;
}

const rules: Readonly<Record<Exclude<keyof ConfigFlags, "config">, FlagRule>> = {
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
    const [first, second] = rule.path;
    const set = rule.isPath && typeof value === "string" ? resolve(cwd, value) : value;
    raw[first] = second === undefined ? set : { ...(raw[first] as object | undefined), [second]: set };
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
