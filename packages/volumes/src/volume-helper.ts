/** The process that touches volumes in the agent's place. */
import { serveHelper } from "@hooklet/linux";
import { mountAllowed } from "./allowed-host-path.js";
import { prepareHostPath } from "./host-path.js";
import { clearVolumes, lookAtPod, makeVolume, removeVolumes } from "./own-volumes.js";
import { mountSource, removePodDirectory } from "./sub-path-mounts.js";

serveHelper({
  mountAllowed,
  prepareHostPath,
  mountSource,
  makeVolume,
  clearVolumes,
  removeVolumes,
  lookAtPod,
  removePodDirectory: (directory: string, progress) => removePodDirectory(directory, undefined, progress),
});
