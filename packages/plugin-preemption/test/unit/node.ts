/** A whole agent with the plugin on a small simulated node. */
import type { Decision, Pod, StrategyTable } from "@hooklet/core";
import { type PodParts, startTestAgent } from "@hooklet/testkit";
import plugin, { type VictimsStrategy } from "../../src/index.js";
import { victimsStrategies } from "../../src/internal.js";

export type Agent = Awaited<ReturnType<typeof startTestAgent>>;

interface NodeParts {
  readonly options?: unknown;
  readonly cpu?: string;
  readonly node?: Record<string, unknown>;
  /** Beside the built-in ones, as if their files were named in the rc file. */
  readonly strategies?: StrategyTable<VictimsStrategy>;
}

export function startNode({ options = {}, cpu = "2", node = {}, strategies = {} }: NodeParts = {}): Promise<Agent> {
  const extended = { ...plugin, strategies: { victims: { ...victimsStrategies, ...strategies } } };
  return startTestAgent({ plugins: [[extended, options]], node: { capacity: { cpu, memory: "2Gi" }, ...node } });
}

export async function run(agent: Agent, ...pods: readonly Pod[]): Promise<void> {
  for (const pod of pods) await agent.apply(pod);
  await agent.advance(1_000);
}

export const phase = (agent: Agent, name: string): string | undefined => agent.pod(name).status?.phase;

/** `reason: message` of the warnings about a pod, oldest first. */
export function warnings(agent: Agent, name?: string): readonly string[] {
  return agent
    .events()
    .filter(({ type, involvedObject }) => type === "Warning" && (name === undefined || involvedObject.name === name))
    .map(({ reason, message, involvedObject }) => `${involvedObject.name} ${reason}: ${message}`);
}

export function decisions(agent: Agent, name: string): readonly Decision[] {
  return agent.api.explain("pod", name);
}

export async function metric(agent: Agent, name: string): Promise<readonly string[]> {
  const { body = "" } = (await agent.api.metrics("/metrics")) ?? {};
  return body.split("\n").filter((line) => line.startsWith(`${name}{`));
}

/** TERM is ignored: only KILL, after the grace period, ends it. */
export function stubborn(agent: Agent, pod: string): void {
  agent.runtime.script({ pod }, (process) => process.onTerm(() => {}));
}

export const quick: PodParts = { spec: { terminationGracePeriodSeconds: 2 } };
export const staticPod: PodParts = { source: "file", spec: { priorityClassName: "system-node-critical" } };
