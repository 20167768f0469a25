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
