/** A whole agent with the plugin on a simulated node, whose disk is 1000 MiB. */
import type { StrategyTable, ViewRow } from "@hooklet/core";
import type { PodSource } from "@hooklet/core/host";
import {
  aPod,
  type PodParts,
  type SimulatedImage,
  SimulatedRuntime,
  startTestAgent,
  VirtualClock,
} from "@hooklet/testkit";
import plugin, { type OrderStrategy } from "../../src/index.js";
import { orderStrategies } from "../../src/internal.js";

export const MIB = 1024 ** 2;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export interface NodeParts {
  readonly options?: object;
  readonly images?: readonly SimulatedImage[];
  /** Bytes that are free. */
  readonly available?: number;
  readonly sandboxImage?: string;
  /** Beside the built-in ones, as if their files were named in the rc file. */
  readonly strategies?: StrategyTable<OrderStrategy>;
  /** Beside the test's own source, which has spoken. */
  readonly sources?: readonly PodSource[];
}

export async function startNode({
  options = {},
  images = [],
  available = 900 * MIB,
  strategies = {},
  sources = [],
  ...parts
}: NodeParts = {}) {
  const clock = new VirtualClock();
  const imageFs = { capacity: 1000 * MIB, available };
  const runtime = new SimulatedRuntime({ clock, images, imageFs, writeLogs: true, ...parts });
  const extended = { ...plugin, strategies: { order: { ...orderStrategies, ...strategies } } };
  const agent = await startTestAgent({ clock, runtime, plugins: [[extended, options]], sources });

  return {
    agent,
    clock,
    runtime,
    /** Short names of the images that are there. */
    async images(): Promise<readonly string[]> {
      return (await runtime.listImages()).map(({ repoTags, id }) => repoTags[0] ?? id).sort();
    },
    async free(): Promise<number> {
      return (await runtime.imageFsInfo()).availableBytes ?? 0;
    },
    /** `reason: message` of the node's warnings, each as often as it was counted. */
    warnings(): readonly string[] {
      return agent
        .events()
        .filter(({ type, involvedObject }) => type === "Warning" && involvedObject.kind === "Node")
        .flatMap(({ reason, message, count = 1 }) => Array<string>(count).fill(`${reason}: ${message}`));
    },
    /** Log lines of level info. */
    info: (): readonly string[] => agent.log.filter(({ level }) => level === 30).map(({ msg }) => msg),
    /** Log lines of level warn. */
    warned: (): readonly string[] => agent.log.filter(({ level }) => level === 40).map(({ msg }) => msg),
    async view(): Promise<readonly ViewRow[]> {
      return (await agent.api.view("images")).rows;
    },
    async metric(name: string): Promise<readonly string[]> {
      const { body = "" } = (await agent.api.metrics("/metrics")) ?? {};
      return body.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    },
    async run(...pods: readonly PodParts[]): Promise<void> {
      for (const pod of pods) await agent.apply(aPod(pod));
      await agent.advance(SECOND);
    },
  };
}

export type TestNode = Awaited<ReturnType<typeof startNode>>;

/** Images `name:1` of 100 MiB each. */
export const images = (...names: readonly string[]): readonly SimulatedImage[] =>
  names.map((name) => ({ names: [`${name}:1`], size: 100 * MIB, id: `sha256:${name}` }));
