/** Kubernetes' channel protocol over websockets, for both of its ends. */
export { ChannelConnection } from "./channels/connection.js";
export { usePort } from "./channels/forward.js";
export {
  Channel,
  decodeOutcome,
  encodeSize,
  MAX_MESSAGE_BYTES,
  type Outcome,
  PROTOCOLS,
} from "./channels/protocol.js";
