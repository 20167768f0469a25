/** Node-pressure eviction of the kubelet as a hooklet plugin. */
export type { EvictionCandidate } from "./candidates.js";
export type { PodEviction } from "./evict.js";
export type { EvictionOptions } from "./options.js";
export { plugin as default, plugin as eviction } from "./plugin.js";
export { type Ranked, type Ranking, type RankingInput, type RankingStrategy, rankingFault } from "./ranking.js";
