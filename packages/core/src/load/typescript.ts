import { register } from "node:module";

let enabled = false;

/**
 * Lets this process import TypeScript files: by Node itself where it strips types (22.18 and later), otherwise by a
 * loader that strips them with @swc/wasm-typescript, the same code that Node uses. Types are removed, not checked;
 * enums and other TypeScript that is more than types is refused by the stripper.
 */
export function enableTypeScript(): void {
  if (enabled || (process.features as { typescript?: unknown }).typescript) return;
  enabled = true;
  register("./typescript-loader.js", import.meta.url);
}
