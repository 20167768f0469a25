/** Which agent this is, among those of the same node name: made once, kept in the root folder. */
import type { NodeContext } from "@hooklet/core";

const ID = /^[0-9a-f]{16}$/;

export interface AgentIdOptions {
  readonly checkpoint: ReturnType<NodeContext["checkpoint"]>;
  /** From 0 to below 1. */
  readonly random: () => number;
  report(where: string, error: unknown): void;
}

/** A failed write is reported, and the id holds until the agent ends: the next agent waits as another agent would. */
export async function agentId({ checkpoint, random, report }: AgentIdOptions): Promise<string> {
  const failed = (error: unknown): void => report("id of the agent", error);
  const made = Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join("");
  const kept = checkpoint.keep<string>({ value: () => made, schema: (z) => z.string().regex(ID), failed });
  const known = await kept.read().catch(failed);
  if (known === undefined) await kept.saved();
  return known ?? made;
}
