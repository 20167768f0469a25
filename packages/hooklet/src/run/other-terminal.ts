/** How another terminal reaches this agent, and a shell in a pod on this one. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Io } from "@hooklet/cli/extend";
import type { Pod } from "@hooklet/manifest";

export interface Finding {
  readonly socket: string;
  /** Where clients look by themselves. */
  readonly defaultSocket: string;
  /** The program that runs. */
  readonly program: string;
}

/** `PATH=... HOOKLET_SOCKET=...`, of which only what is needed; undefined: nothing is. */
export function exportsFor(
  { env }: Pick<Io, "env">,
  { socket, defaultSocket, program }: Finding,
  exists: (path: string) => boolean = existsSync,
): string | undefined {
  const home = (path: string): string => withTilde(path, env.HOME);
  const isOnPath = (env.PATH ?? "").split(":").some((folder) => folder !== "" && exists(join(folder, "hooklet")));
  const folder = isOnPath ? undefined : binFolder(dirname(program), exists);
  const parts = [
    ...(folder === undefined ? [] : [`PATH=${home(folder)}:$PATH`]),
    ...(socket === defaultSocket ? [] : [`HOOKLET_SOCKET=${home(socket)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(" ");
}

/** The nearest folder above that has the command by its name. */
function binFolder(from: string, exists: (path: string) => boolean): string | undefined {
  const folder = join(from, "node_modules/.bin");
  if (exists(join(folder, "hooklet"))) return folder;
  return dirname(from) === from ? undefined : binFolder(dirname(from), exists);
}

/** A shell takes `~` there; what it would split is quoted. */
function withTilde(path: string, home: string | undefined): string {
  const short = home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  return /^[\w~/.@%+=:,-]*$/.test(short) ? short : `'${path.replaceAll("'", "'\\''")}'`;
}

/** `hooklet exec -it POD -- sh` on this terminal. Rejects with what it said when it ends badly. */
export function shellIn({ metadata }: Pod, { socket, program }: Pick<Finding, "socket" | "program">): Promise<void> {
  const words = ["--socket", socket, "exec", "-it", "-n", metadata.namespace, metadata.name, "--", "sh"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
      stdio: ["inherit", "inherit", "pipe"],
    });
    let said = "";
    child.stderr?.on("data", (data: Buffer) => {
      said = (said + data.toString("utf8")).slice(-1_000);
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      // A shell hands on the exit code of its last command: without a word it is no failure of its own.
      if (code === 0 || said.trim() === "") resolve();
      else reject(new Error(said.trim().split("\n").at(-1)));
    });
  });
}
