/** The conditions of the node, each set by one plugin. */

import { isQualifiedName } from "@hooklet/manifest";
import { type Clock, invalid, Listeners, NodeAgentError } from "@hooklet/utils";
import type { NodeCondition, NodeConditionState } from "../plugin/contract/node.js";

/** Something of the node that one plugin has: `first`, or hooklet's own configuration. `what`: `condition DiskPressure`. */
export function nodeClaimConflict(what: string, first: string | undefined, second: string): NodeAgentError {
  const owner = first === undefined ? "the node itself" : `plugin "${first}"`;
  return new NodeAgentError(
    "CLAIM_CONFLICT",
    `Two owners claim ${what} of the node: ${owner} has it, plugin "${second}" sets it again. ` +
      "Switch one of them off, or change what it sets.",
    { plugin: second },
  );
}

const STATUSES = ["True", "False", "Unknown"];

export class NodeConditions {
  readonly #all = new Map<string, NodeCondition>();
  readonly #listeners: Listeners<[]>;

  /** `report` gets the error of a listener that throws. */
  constructor(
    private readonly clock: Pick<Clock, "now">,
    report: (error: unknown) => void,
  ) {
    this.#listeners = new Listeners(report);
  }

  /** Called after a condition has another status, reason or message, or is gone. Returns what ends it. */
  watch(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** @throws NodeAgentError CLAIM_CONFLICT, INVALID */
  set(plugin: string, type: string, state: NodeConditionState | undefined): void {
    const before = this.#all.get(type);
    if (before !== undefined && before.plugin !== plugin) {
      throw nodeClaimConflict(`condition ${type}`, before.plugin, plugin);
    }
    if (state === undefined) {
      if (this.#all.delete(type)) this.#listeners.tell();
      return;
    }
    if (!isQualifiedName(type)) throw invalid("setCondition", 'a type such as "DiskPressure"', type);
    const { status, reason, message } = state;
    if (!STATUSES.includes(status)) throw invalid(`setCondition("${type}").status`, "True, False or Unknown", status);
    const now = this.clock.now();
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
    const condition = { type, status, reason, message, plugin, lastHeartbeatTime: now, lastTransitionTime };
    this.#all.set(type, Object.freeze(condition));
    if (before?.status !== status || before.reason !== reason || before.message !== message) this.#listeners.tell();
  }

  /** In order of their first setting. */
  list(): readonly NodeCondition[] {
    return [...this.#all.values()];
  }

  get(type: string): NodeCondition | undefined {
    return this.#all.get(type);
  }
}
