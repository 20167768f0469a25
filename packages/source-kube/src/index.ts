/** @hooklet/source-kube: hooklet as a node of a real cluster; the plugin by default. */
import { createKubePlugin } from "./plugin.js";

export { ApiError, isApiError } from "./client/api-error.js";
export { createKubePlugin } from "./plugin.js";

export default createKubePlugin();
