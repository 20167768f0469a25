/** How pods, events and what went wrong look on a terminal, for who runs an agent on one. */
export { type LastLogLines, linesOf, STACK_LINES, troubleLines } from "./last-log-lines.js";
export { summarize } from "./pod-status.js";
export { millisecondsOf, roundBytes } from "./print/amounts.js";
export { describePod } from "./print/describe/describe-pod.js";
export { oneLine, setIn } from "./print/escape.js";
export { eventLine, eventRows } from "./print/event-table.js";
export { explainedPod } from "./print/explained.js";
export { podObject, toJson, toText } from "./print/object-text.js";
export { podRows, podTable, severalNamespaces } from "./print/pod-table.js";
export { readInput, readInputs } from "./read-input.js";
export { type Trouble, troubles } from "./trouble.js";
