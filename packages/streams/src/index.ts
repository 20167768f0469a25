/** What streams between an agent and its clients, for both ends; light, since every command of the CLI loads it. Websockets: `@hooklet/streams/channels`. */

export { bytesFrame, type OutputFrame, parseOutput, positionFrame } from "./frames.js";
export { endWhenIdle } from "./idle.js";
export type { ErrorBody, PodChange } from "./ndjson.js";
export { decodeLines, encodeLine, NDJSON } from "./ndjson.js";
export {
  dataFrame,
  FrameReader,
  headerBlock,
  openFrame,
  pingFrame,
  readHeaders,
  replyFrame,
  resetFrame,
  type SpdyFrame,
} from "./spdy-frames.js";
