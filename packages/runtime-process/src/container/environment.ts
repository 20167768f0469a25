/** A container's environment, and the ways by which each variable gets there. Pure. */
import { RuntimeError } from "@hooklet/core/host";
import { SCRIPT_PREFIX } from "../command/scripts.js";

const MAX_BYTES = 1024 * 1024;
/** The kernel's bound on one string is 128 KiB. */
const MAX_ENTRY_BYTES = 128 * 1024 - 1;

type Entry = readonly [name: string, value: string];

/** Later sources win; the order of first appearance is kept. Throws `invalid-argument` naming the variable. */
export function mergeEnvironment(...sources: readonly (readonly Entry[])[]): Entry[] {
  const merged = new Map<string, string>();
  let bytes = 0;
  for (const [name, value] of sources.flat()) {
    const size = Buffer.byteLength(name) + Buffer.byteLength(value) + 2;
    if (name === "" || name.includes("=") || name.includes("\0") || value.includes("\0")) {
      throw new RuntimeError(
        "invalid-argument",
        `environment variable ${JSON.stringify(name)}: expected a name without = and no NUL`,
      );
    }
    bytes += size;
    if (size > MAX_ENTRY_BYTES || bytes > MAX_BYTES) {
      throw new RuntimeError(
        "invalid-argument",
        `environment variable ${name} is too long: at most ${MAX_ENTRY_BYTES} bytes each and ${MAX_BYTES} together`,
      );
    }
    merged.set(name, value);
  }
  return [...merged];
}

/** `NAME=value` lines of an image; one without `=` is left out, as docker does. */
export function parseImageEnv(lines: readonly string[]): Entry[] {
  return lines.flatMap((line) => {
    const at = line.indexOf("=");
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
  });
}

export interface EnvironmentRoutes {
  /** Text of the file that the scripts read and export. */
  readonly file: string;
  /** `NAME=value` that no shell can export: through the machine's env(1). */
  readonly outside: readonly string[];
  /** `NAME=value` that steers the dynamic linker: only once we are the container's user in its own root. */
  readonly inside: readonly string[];
}

export function routeEnvironment(entries: readonly Entry[]): EnvironmentRoutes {
  const lines: string[] = [];
  const outside: string[] = [];
  const inside: string[] = [];
  for (const [name, value] of entries) {
    if (steersLinker(name)) inside.push(`${name}=${value}`);
    else if (isShellsOwn(name)) outside.push(`${name}=${value}`);
    else lines.push(`=${name}=${value.replaceAll("\n", "\n+")}\n`);
  }
  return { file: lines.join(""), outside, inside };
}

/** With these a pod could make the set-up tools, which run as root, load its own code. */
function steersLinker(name: string): boolean {
  return /^(?:LD_.*|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|MUSL_LOCPATH|NLSPATH|MALLOC_.*)$/.test(name);
}

const SHELL_NAMES = new Set([
  "_",
  "CDPATH",
  "DIRSTACK",
  "ENV",
  "EUID",
  "FUNCNAME",
  "GLOBIGNORE",
  "GROUPS",
  "HISTCMD",
  "IFS",
  "LINENO",
  "MAIL",
  "MAILCHECK",
  "MAILPATH",
  "OLDPWD",
  "OPTARG",
  "OPTERR",
  "OPTIND",
  "PIPESTATUS",
  "POSIXLY_CORRECT",
  "PPID",
  "PS1",
  "PS2",
  "PS4",
  "PWD",
  "RANDOM",
  "SECONDS",
  "SHELLOPTS",
  "SHLVL",
  "UID",
]);

function isShellsOwn(name: string): boolean {
  return (
    !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ||
    SHELL_NAMES.has(name) ||
    name.startsWith("BASH") ||
    name.startsWith(SCRIPT_PREFIX)
  );
}
