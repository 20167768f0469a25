/** hooklet's embedded runtime: containers are local processes. */
import { homedir } from "node:os";
import { defineRuntime } from "@hooklet/core/host";
import { type ProcessRuntimeOptions, processRuntimeOptions } from "./options.js";
import { ProcessRuntime } from "./process-runtime.js";

export { type ProcessRuntimeOptions, processRuntimeOptions } from "./options.js";
export { ProcessRuntime } from "./process-runtime.js";

export default defineRuntime<ProcessRuntimeOptions>({
  meta: { name: "process", api: 1 },
  options: processRuntimeOptions,
  create: (ctx, options) => new ProcessRuntime(ctx, options, homedir()),
});
