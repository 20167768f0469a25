/** What goes over the control socket, for both of its ends; light, since every command of the CLI loads it. */
export type { PodChange } from "./pod-watch.js";
export type { ErrorBody } from "./wire/error-body.js";
export { type OutputFrame, parseOutput } from "./wire/frames.js";
export { decodeLines } from "./wire/ndjson.js";
