/** What a package that adds commands is written with. Quick to load. */
import type { AgentConfig } from "@hooklet/core/host";
import type { Translated } from "./commands/check/kubelet-fields.js";

export { type Context, withAgent } from "./context.js";
export { collect, outputOption, type Perform, sub } from "./declare/parts.js";
export { type Io, type Output, printLine, printText, tell, write } from "./io.js";
export { elasticColumns, table } from "./print/columns.js";
export { decisionsText } from "./print/decisions.js";
export { escapeControls, quietJson } from "./print/escape.js";
export type { ExplainScenario, PlanQuestion, Scenarios, WithinScenario } from "./scenarios.js";

/** A KubeletConfiguration as an rc file for the plugins of `config`: what `hooklet check --from-kubelet` prints. */
export async function rcOfKubelet(
  configuration: Readonly<Record<string, unknown>>,
  config: Pick<AgentConfig, "plugins">,
): Promise<Translated> {
  const [{ fromKubelet }, { knownOptions }] = await Promise.all([
    import("./commands/check/kubelet-fields.js"),
    import("./commands/check/known-options.js"),
  ]);
  return fromKubelet(configuration, knownOptions(config));
}
