/** Module hooks, run by Node in a separate thread (load/modules.ts): hooklet's packages for files without their own copy. */
import type { InitializeHook, ResolveHook } from "node:module";
import { ownPackages } from "./own-packages.js";

let own = ownPackages(new Map());

export const initialize: InitializeHook<ReadonlyMap<string, string>> = (bundled) => {
  own = ownPackages(bundled);
};

export const resolve: ResolveHook = async (specifier, context, nextResolve) => own(specifier, context, nextResolve);
