/** What a package that adds commands is written with. Quick to load. */
export { type Context, withAgent } from "./context.js";
export { collect, outputOption, type Perform, sub } from "./declare/parts.js";
export { type Io, type Output, printLine, write } from "./io.js";
export { elasticColumns, table } from "./print/columns.js";
export { decisionsText } from "./print/decisions.js";
export { escapeControls } from "./print/escape.js";
export type { ExplainScenario, PlanQuestion, Scenarios, WithinScenario } from "./scenarios.js";
