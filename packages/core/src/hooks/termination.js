/** Pure. */
/** After these the pod is forgotten; after the others it stays listed with its final status until it is deleted. */
export function isRemoval(cause) {
  return ["deleted", "replaced", "orphaned", "shutdown"].includes(cause.kind);
}
