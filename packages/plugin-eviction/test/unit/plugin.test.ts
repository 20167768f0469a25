import { describePlugin, describeStrategy } from "@hooklet/testkit";
import { expect } from "@jest/globals";
import plugin, { type Ranked, type RankingInput, type RankingStrategy, rankingFault } from "../../src/index.js";
import { candidatesFor, rankingStrategies, resourceOf, type Signal, statisticsByUid } from "../../src/internal.js";
import { bytes, dedicated, oneDisk, pod, statisticsOf, withPriority } from "./pods.js";

describePlugin("eviction", {
  plugin,
  options: {
    evictionSoft: { "memory.available": "500Mi" },
    evictionSoftGracePeriod: { "memory.available": "30s" },
    ranking: "largest-usage",
  },
  badOptions: [
    { name: "an unknown ranking", options: { ranking: "biggest" }, field: "ranking" },
    { name: "a soft threshold without its grace period", options: { evictionSoft: { "memory.available": "1Gi" } } },
    { name: "an unknown signal", options: { evictionMinimumReclaim: { "mem.available": "1Gi" } } },
    { name: "a negative grace period", options: { evictionMaxPodGracePeriod: -1 }, field: "evictionMaxPodGracePeriod" },
  ].map(({ field = "", ...one }) => ({ ...one, field })),
  pods: [pod("ordinary", { memory: "100Mi" }), pod("plain")],
});

const pods = [
  pod("over", { memory: "100Mi" }, withPriority(5)),
  pod("within", { memory: "1Gi" }, withPriority(-1)),
  pod("unknown"),
];
const statistics = statisticsByUid([
  statisticsOf(pods[0] ?? pod("none"), { memory: bytes("1Gi"), disk: 10, inodes: 3, processes: 7 }),
  statisticsOf(pods[1] ?? pod("none"), { memory: bytes("500Mi"), disk: 20, inodes: 2, processes: 9 }),
]);

function input(signal: Signal, layout = oneDisk): () => RankingInput {
  const candidates = candidatesFor(signal, pods, statistics, layout);
  return () => ({ signal, resource: resourceOf(signal), candidates: [...candidates], layout });
}

describeStrategy<RankingStrategy, RankingInput, readonly Ranked[]>("ranking", {
  table: rankingStrategies,
  inputs: {
    "memory runs short": input("memory.available"),
    "a disk of its own runs full": input("imagefs.available", dedicated),
    "inodes run short": input("nodefs.inodesFree"),
    "processes run short": input("pid.available"),
  },
  decide: (strategy, given) => strategy(given),
  legal: (order, given) => expect(rankingFault(order, given)).toBeUndefined(),
});
