export { type MemoryPlace, MemoryVolumes, memoryVolumeSize } from "./memory-volumes.js";
export {
  foldersOf,
  type OwnVolume,
  type OwnVolumes,
  type PodDirectory,
  type PodVolumeDirectory,
  podVolumeOf,
  type VolumeDirectory,
} from "./own-volumes.js";
export { type VolumeCalls, volumeCallsApart, volumeCallsHere } from "./volume-calls.js";
