/** Labels and taints that others set on the Node in the API, which the agent uses. */

import type { NodePort, NodeTaint } from "@hooklet/core";
import type { ApiNode } from "./node-sync.js";

export class NodeMirror {
  /** Set here, of what the API says. */
  #labels: Readonly<Record<string, string>> = {};
  #taints: readonly NodeTaint[] = [];

  constructor(
    private readonly node: Pick<NodePort, "labels" | "facts" | "setLabels" | "setTaints">,
    private readonly report: (where: string, error: unknown) => void,
  ) {}

  /** Labels of configuration and plugins. */
  ownLabels(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.node.labels).filter(([label]) => !Object.hasOwn(this.#labels, label)),
    );
  }

  ownTaints(): readonly NodeTaint[] {
    const foreign = new Set(this.#taints.map(keyOf));
    return this.node.facts().taints.filter((taint) => !foreign.has(keyOf(taint)));
  }

  seen({ metadata, spec }: ApiNode): void {
    const [labels, taints] = [this.ownLabels(), new Set(this.ownTaints().map(keyOf))];
    try {
      const given = Object.entries((metadata as { labels?: Record<string, string> }).labels ?? {});
      this.#labels = Object.fromEntries(given.filter(([label]) => !Object.hasOwn(labels, label)));
      this.node.setLabels(this.#labels);
      this.#taints = ((spec?.taints ?? []) as readonly NodeTaint[]).filter((taint) => !taints.has(keyOf(taint)));
      this.node.setTaints(this.#taints);
    } catch (error) {
      this.report("labels and taints of the node", error);
    }
  }
}

function keyOf({ key, effect }: NodeTaint): string {
  return `${key}\n${effect}`;
}

// Which labels of the node a node may write, and which of the API's the node goes by.

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
