/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */
export { cleanPayload, nestedMountpoints, timestampPrefix } from "./payload/paths.js";
export { commonUser, type FilePayload, type Payload, PayloadError } from "./payload/payload.js";
export { type VolumeFacts, volumePayload } from "./payload/volume.js";
export { serviceEnv } from "./values/object-values.js";
export { loginsOf } from "./values/pull-secrets.js";
export { needsRefresh } from "./volumes/tokens.js";
export { writeVolume } from "./volumes/write.js";
