/** What streams between an agent and its clients, for both ends; light, since every command of the CLI loads it. Websockets: `@hooklet/streams/channels`. */

export { endWhenIdle } from "./idle.js";
export type { ErrorBody, PodChange } from "./ndjson.js";
export { bytesFrame, decodeLines, encodeLine, NDJSON, type OutputFrame, parseOutput, positionFrame } from "./ndjson.js";
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
export { SpdyStream } from "./spdy-stream.js";
