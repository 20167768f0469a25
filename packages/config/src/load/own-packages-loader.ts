/** Module hooks, run by Node in a thread of their own (load/modules.ts): hooklet's packages are there for files that have none. */
import type { ResolveHook } from "node:module";

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    if (!specifier.startsWith("@hooklet/")) throw error;
    return nextResolve(specifier, { ...context, parentURL: import.meta.url });
  }
};
