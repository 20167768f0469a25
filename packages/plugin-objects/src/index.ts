/** ConfigMaps, Secrets, tokens and the downward API for pods as a hooklet plugin, and its pure parts. */
export { nestedMountpoints } from "./payload/nested.js";
export { commonUser } from "./payload/owner.js";
export { cleanPayload, timestampPrefix } from "./payload/paths.js";
export { type FilePayload, type Payload, PayloadError } from "./payload/payload.js";
export { type VolumeFacts, volumePayload } from "./payload/volume.js";
export { plugin as default, plugin as objects } from "./plugin.js";
export { loginsOf } from "./values/docker-config.js";
export { serviceEnv } from "./values/service-env.js";
export { needsRefresh } from "./volumes/token-times.js";
export { writeVolume } from "./volumes/write.js";
