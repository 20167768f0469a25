/** hooklet's runtime for real containers: CRI v1 on containerd and CRI-O. */
import { homedir } from "node:os";
import { defineRuntime } from "@hooklet/core/host";
import { CriRuntime } from "./cri-runtime.js";
import { type CriRuntimeOptions, criRuntimeOptions } from "./options.js";

export { CriRuntime } from "./cri-runtime.js";
export { type CriRuntimeOptions, criRuntimeOptions } from "./options.js";

export default defineRuntime<CriRuntimeOptions>({
  meta: { name: "cri", api: 1 },
  options: criRuntimeOptions,
  create: (ctx, options) => new CriRuntime(ctx, options, homedir()),
});
