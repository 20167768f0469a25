/** The node's pressure conditions as they are shown, and the events about their changes. */
import type { NodeContext } from "@hooklet/core";
import type { PressureCondition } from "./signals.js";
import { type ConditionStatus, conditionChange, pressureConditions } from "./words/words.js";

export class ShownConditions {
  readonly #shown = new Map<PressureCondition, ConditionStatus>();

  constructor(private readonly ctx: Pick<NodeContext, "node" | "events">) {}

  /** @param under the conditions that the node is under */
  show(under: readonly PressureCondition[]): void {
    const { node, events } = this.ctx;
    for (const type of pressureConditions) {
      const { condition, event } = conditionChange(type, under.includes(type), this.#shown.get(type));
      this.#shown.set(type, condition);
      node.setCondition(type, condition);
      if (event !== undefined) events.node("Normal", event, `Node ${node.name} status is now: ${event}`);
    }
  }
}
