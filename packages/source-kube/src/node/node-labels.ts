/** Which labels of the node a node may write, and which of the API's the node goes by. Pure. */

const allowed = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
const ownPrefixes = ["node.kubernetes.io", "kubelet.kubernetes.io"];

/** What the admission plugin NodeRestriction lets a node set on itself; others would have the whole request refused. */
export function mayWrite(label: string): boolean {
  const [prefix = "", ...rest] = label.split("/");
  if (rest.length === 0) return true;
  const isReserved = /(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
  if (!isReserved || allowed.has(label)) return true;
  return ownPrefixes.some((own) => prefix === own || prefix.endsWith(`.${own}`));
}

export function writableLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([label]) => mayWrite(label)));
}
