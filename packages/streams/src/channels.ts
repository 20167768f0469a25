/** Kubernetes' channel protocol over websockets, for both of its ends. */
export { ChannelConnection } from "./channels/connection.js";
export { servePort, usePort } from "./channels/forward.js";
export {
  Channel,
  decodeOutcome,
  decodeSize,
  encodeExit,
  encodeFailure,
  encodeSize,
  MAX_MESSAGE_BYTES,
  MAX_WAITING_BYTES,
  type Message,
  negotiate,
  type Outcome,
  PROTOCOLS,
} from "./channels/protocol.js";
