/** Puts the scripts where the shims read them from. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeFileAtomic } from "@hooklet/core/host";
import { EXEC, INNER, SHIM, STARTER } from "./scripts.js";

export interface Scripts {
  readonly shim: string;
  readonly inner: string;
  readonly exec: string;
  readonly starter: string;
}

/** The name holds a hash of the text: a shell reads its script bit by bit, so a file in use must never change. */
export async function installScripts(folder: string): Promise<Scripts> {
  const install = async (name: string, text: string): Promise<string> => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
    const path = join(folder, `${name}-${hash}.sh`);
    await writeFileAtomic(path, text, { mode: 0o500 });
    return path;
  };
  const [shim, inner, exec, starter] = await Promise.all([
    install("shim", SHIM),
    install("inner", INNER),
    install("exec", EXEC),
    install("starter", STARTER),
  ]);
  return { shim, inner, exec, starter };
}
