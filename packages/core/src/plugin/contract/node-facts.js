/** What the predicates know of the node. Pure. */
export const OS_LABEL = "kubernetes.io/os";
/** The node with its OS label set right: a wrong one is overwritten before anything is matched against it. */
export function withOsLabel(node) {
  return node.labels[OS_LABEL] === node.os ? node : { ...node, labels: { ...node.labels, [OS_LABEL]: node.os } };
}
