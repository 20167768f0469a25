/** Module hooks, run by Node in a separate thread (load/modules.ts). */
import { readFile } from "node:fs/promises";
import type { LoadHook } from "node:module";
import { fileURLToPath } from "node:url";

export const load: LoadHook = async (url, context, nextLoad) => {
  const { protocol, pathname } = new URL(url);
  if (protocol !== "file:" || !/\.[m]?ts$/.test(pathname)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { transform } = await import("@swc/wasm-typescript");
  const { code } = await transform(await readFile(file, "utf8"), { filename: file, mode: "strip-only", module: true });
  return { format: "module", source: code, shortCircuit: true };
};
