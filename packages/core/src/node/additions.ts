/** Labels and taints that plugins add to the node. */
import { isLabelValue, isQualifiedName } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import type { NodeTaint } from "../plugin/contract/node.js";
import { nodeClaimConflict } from "./conditions.js";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Labels and taints that core sets; plugins cannot set them again. */
export interface OwnMarks {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
}

/** All of one plugin is replaced at once or, with an error, not at all. */
export class NodeAdditions {
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();
  readonly #taints = new Map<string, readonly NodeTaint[]>();

  constructor(
    private readonly own: OwnMarks,
    private readonly changed: () => void,
  ) {}

  /** @throws NodeAgentError CLAIM_CONFLICT, INVALID */
  setLabels(plugin: string, labels: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(labels)) {
      if (!isQualifiedName(name)) throw invalid("setLabels", 'names such as "vendor.example/model"', name);
      if (!isLabelValue(value))
        throw invalid(`setLabels: "${name}"`, "a label's value of at most 63 characters", value);
    }
    const taken = (all: Readonly<Record<string, string>>) =>
      Object.keys(labels).find((name) => Object.hasOwn(all, name));
    refuseTaken(plugin, "label", this.own.labels, this.#labels, taken);
    this.#labels.set(plugin, { ...labels });
    this.changed();
  }

  /** @throws NodeAgentError CLAIM_CONFLICT, INVALID */
  setTaints(plugin: string, taints: readonly NodeTaint[]): void {
    for (const { key, value = "", effect } of taints) {
      if (!isQualifiedName(key)) throw invalid("setTaints", 'keys such as "node.example/maintenance"', key);
      if (!isLabelValue(value)) throw invalid(`setTaints: "${key}"`, "a value of at most 63 characters", value);
      if (!EFFECTS.includes(effect)) throw invalid(`setTaints: effect of "${key}"`, EFFECTS.join(", "), effect);
    }
    const taken = (all: readonly NodeTaint[]): string | undefined => {
      const names = new Set(all.map(nameOf));
      return taints.map(nameOf).find((name) => names.has(name));
    };
    refuseTaken(plugin, "taint", this.own.taints, this.#taints, taken);
    this.#taints.set(
      plugin,
      taints.map((taint) => ({ ...taint })),
    );
    this.changed();
  }

  labels(): Readonly<Record<string, string>> {
    return Object.assign({}, this.own.labels, ...this.#labels.values()) as Record<string, string>;
  }

  taints(): readonly NodeTaint[] {
    return [...this.own.taints, ...[...this.#taints.values()].flat()];
  }
}

/** A taint is identified by key and effect, as in the API. */
function nameOf({ key, effect }: NodeTaint): string {
  return `${key}:${effect}`;
}

function refuseTaken<T>(
  plugin: string,
  kind: string,
  own: T,
  others: ReadonlyMap<string, T>,
  taken: (all: T) => string | undefined,
): void {
  for (const [owner, all] of [[undefined, own] as const, ...others]) {
    const name = owner === plugin ? undefined : taken(all);
    if (name !== undefined) throw nodeClaimConflict(`${kind} ${name}`, owner, plugin);
  }
}
