/** @hooklet/source-kube: hooklet as a node of a real cluster. */
export { ApiError, isApiError } from "./client/api-error.js";
