/** A whole agent with the plugin on a simulated node; statistics are what the test says. */
import { definePlugin, type NodePlugin, type Pod, type StrategyTable, sleep } from "@hooklet/core";
import type { NodeStatistics } from "@hooklet/core/subsystem";
import { startTestAgent, VirtualClock } from "@hooklet/testkit";
import plugin, { type RankingStrategy } from "../../src/index.js";
import { type PodStatistics, rankingStrategies } from "../../src/internal.js";
import { bytes, disk, memory } from "./pods.js";

export type Agent = Awaited<ReturnType<typeof startTestAgent>>;

/** What the node reports; set by hand. */
export class Reported {
  node: Partial<NodeStatistics["node"]> = {};
  pods: readonly PodStatistics[] = [];
  failing = false;
  /** Called before each reading. */
  look: () => void = () => undefined;
  /** Milliseconds that a reading takes; endless: until `release`. */
  delay = 0;
  #release: () => void = () => undefined;
  /** Seconds: how old the disk usage of pods may be, at each request. */
  readonly disksAsked: number[] = [];
  readonly reclaimed: string[] = [];
  onReclaim: (name: string) => void = () => undefined;

  constructor(readonly clock: VirtualClock) {
    this.calm();
  }

  calm(): void {
    this.set({ ...memory("4Gi"), ...disk("50Gi") });
  }

  /** Readings come again, those that hang too. */
  release(): void {
    this.delay = 0;
    this.#release();
  }

  /** What is not named stays. */
  set(node: object): void {
    this.node = { ...this.node, ...node };
  }

  /** A plugin that provides these statistics and offers to clean. */
  plugin(): NodePlugin<Record<string, never>> {
    return definePlugin({
      meta: { name: "statistics", api: 1 },
      start: (ctx) => {
        ctx.node.provideStatistics({
          memory: () => {
            const { memory, systemContainers } = this.#statistics().node;
            return { ...(memory && { memory }), ...(systemContainers && { systemContainers }) };
          },
          measureDisks: async (maxAgeSeconds) => void this.disksAsked.push(maxAgeSeconds),
          read: async () => {
            this.look();
            if (this.failing) throw new Error("no statistics today");
            if (this.delay === Number.POSITIVE_INFINITY) {
              await new Promise<void>((resolve) => {
                this.#release = resolve;
              });
            } else if (this.delay > 0) await sleep(this.clock, this.delay);
            return this.#statistics();
          },
        });
        for (const [name, frees, order] of [
          ["dead containers", "container", 0],
          ["unused images", "image", 10],
        ] as const) {
          ctx.node.offerReclaim({
            name,
            frees,
            order,
            reclaim: async () => {
              this.reclaimed.push(name);
              this.onReclaim(name);
              return { removed: 1 };
            },
          });
        }
      },
    });
  }

  /** Taken at this moment. */
  #statistics(): NodeStatistics {
    const time = new Date(this.clock.now()).toISOString();
    const at = <T>(part: T): T =>
      typeof part !== "object" || part === null || Array.isArray(part)
        ? part
        : (Object.fromEntries([...Object.entries(part).map(([key, value]) => [key, at(value)]), ["time", time]]) as T);
    const node = at(this.node) as NodeStatistics["node"];
    return { node, pods: this.pods as NodeStatistics["pods"] };
  }
}

export interface NodeParts {
  readonly options?: Record<string, unknown>;
  readonly node?: Record<string, unknown>;
  /** Beside the built-in ones, as if their files were named in the rc file. */
  readonly strategies?: StrategyTable<RankingStrategy>;
  readonly others?: readonly NodePlugin<never>[];
  /** False: no plugin provides statistics. */
  readonly provided?: boolean;
}

export const hardThresholds = { "memory.available": "100Mi", "imagefs.available": "10%" };

export async function startNode({
  options = {},
  node = {},
  strategies = {},
  others = [],
  provided = true,
}: NodeParts = {}) {
  const clock = new VirtualClock();
  const reported = new Reported(clock);
  const extended = { ...plugin, strategies: { ranking: { ...rankingStrategies, ...strategies } } };
  const agent = await startTestAgent({
    clock,
    plugins: [...(provided ? [reported.plugin()] : []), [extended, options], ...others],
    node: { capacity: { cpu: "4", memory: "8Gi" }, evictionHard: hardThresholds, ...node },
  });
  return { agent, reported };
}

export async function run(agent: Agent, ...pods: readonly Pod[]): Promise<void> {
  for (const pod of pods) await agent.apply(pod);
  await agent.advance(1_000);
}

export const phase = (agent: Agent, name: string): string | undefined => agent.pod(name).status?.phase;

export function phases(agent: Agent, ...names: readonly string[]): string {
  return names.map((name) => phase(agent, name)).join(" ");
}

/** `type reason: message` of the events about an object, oldest first. */
export function events(agent: Agent, name: string): readonly string[] {
  return agent
    .events()
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

export async function condition(agent: Agent, type: string) {
  return (await agent.api.node()).conditions.find((one) => one.type === type);
}

export async function metric(agent: Agent, name: string): Promise<readonly string[]> {
  const { body = "" } = (await agent.api.metrics("/metrics")) ?? {};
  return body.split("\n").filter((line) => line.startsWith(`${name}{`));
}

export { bytes };
