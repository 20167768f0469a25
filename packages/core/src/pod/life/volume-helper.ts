/** The process that touches volumes in the agent's place. */
import { serveHelper } from "../../host/helper-process.js";
import { prepareHostPath } from "./host-path.js";
import { mountSource } from "./sub-path-mounts.js";

serveHelper({ prepareHostPath, mountSource });
