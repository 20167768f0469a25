import { script } from "@bomb.sh/tab";
import type { Context } from "../context.js";
import { write } from "../io.js";
import { bashScript } from "./bash.js";

/** The script that makes a shell ask `hooklet complete -- WORDS`. */
export async function printScript({ io }: Context, shell: string): Promise<number> {
  // The library's own for bash needs the package bash-completion, fails when sourced again, and evaluates the command line.
  if (shell === "bash") await write(io.stdout, bashScript);
  else script(shell, "hooklet", "hooklet");
  return 0;
}
