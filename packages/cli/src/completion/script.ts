import { script } from "@bomb.sh/tab";
import type { Context } from "../context.js";

/** The script that makes a shell ask `hooklet complete -- WORDS`. */
export async function printScript(_context: Context, shell: string): Promise<number> {
  script(shell, "hooklet", "hooklet");
  return 0;
}
