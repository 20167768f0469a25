/** What goes over the control socket, for both of its ends; light, since every command of the CLI loads it. */
export type { PodChange } from "./pod-watch.js";
export type { ErrorBody } from "./wire/error-body.js";
export { bytesFrame, INPUT_WINDOW, MAX_FRAME_BYTES, type OutputFrame, parseOutput } from "./wire/frames.js";
export { decodeLines, encodeLine } from "./wire/ndjson.js";
