export { isRuntimeError, RuntimeError, type RuntimeErrorCode } from "./errors.js";
export { defineRuntime, type RuntimeContext, type RuntimeFactory } from "./factory.js";
export { byPodUid, type PodObjects, podUidOf } from "./pod-objects.js";
export * from "./port.js";
export { instrumented, overriding, withBoundedLists, withSharedImages } from "./runtime-layers.js";
export { SharedLists } from "./shared-lists.js";
