/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */
export { nestedMountpoints } from "./payload/nested.js";
export { commonUser } from "./payload/owner.js";
export { cleanPayload, timestampPrefix } from "./payload/paths.js";
export { type FilePayload, type Payload, PayloadError } from "./payload/payload.js";
export { type VolumeFacts, volumePayload } from "./payload/volume.js";
export { loginsOf } from "./values/docker-config.js";
export { serviceEnv } from "./values/service-env.js";
export { needsRefresh } from "./volumes/token-times.js";
export { writeVolume } from "./volumes/write.js";
