/** What a package that adds commands is written with. Quick to load. */
export { type Context, withAgent } from "./context.js";
export { collect, outputOption, type Perform, sub } from "./declare/parts.js";
export { colours, type Io, type Output, printLine, printText, tell, write } from "./io.js";
export { elasticColumns, rowsText, table } from "./print/columns.js";
export { escapeControls, quietJson } from "./print/escape.js";
export { decisionsText } from "./print/event-table.js";
export { Progress } from "./progress.js";
export type { ExplainScenario, PlanQuestion, Scenarios, WithinScenario } from "./scenarios.js";
