import { resolve } from "node:path";
import type { Path } from "../faults/faults.js";

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

export interface Merged {
  /** The rc file with the command line laid over it; unchecked. */
  readonly merged: Readonly<Record<string, unknown>>;
  /** The flag that set this value. */
  flagOf(path: Path): string | undefined;
}

/** Lays the flags over the rc file. A section that is no object is left for the schema to refuse. */
export function applyFlags(raw: Readonly<Record<string, unknown>>, flags: ConfigFlags, cwd: string): Merged {
  const merged: Record<string, unknown> = { ...raw };
  const used: FlagRule[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const value = flags[name as keyof typeof rules];
    if (value === undefined) continue;
    const [first, second] = rule.path;
    const set = rule.isPath && typeof value === "string" ? resolve(cwd, value) : value;
    if (second === undefined) {
      merged[first] = name === "runtime" ? sameRuntime(merged.runtime, value) : set;
    } else if (merged[first] === undefined || isRecord(merged[first])) {
      merged[first] = { ...(merged[first] as object | undefined), [second]: set };
    }
    used.push(rule);
  }
  const flagOf = (path: Path): string | undefined =>
    used.find(({ path: own }) => own.every((step, index) => path[index] === step) && !isRuntimeOption(path))?.flag;
  return { merged, flagOf };
}

/** `--runtime cri` keeps the options that the rc file has for cri. */
function sameRuntime(inFile: unknown, use: unknown): unknown {
  return isRecord(inFile) && inFile.use === use ? inFile : use;
}

function isRuntimeOption(path: Path): boolean {
  return path[0] === "runtime" && path[1] === "options";
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
