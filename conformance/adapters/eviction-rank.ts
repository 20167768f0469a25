import {
  candidateOf,
  kubelet,
  type PodStatistics,
  resourceOf,
  statisticsByUid,
} from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { checkedPodStatistics, only, type RawLayout, signalOf, toLayout, toPods } from "./eviction.js";
import type { RawPod } from "./pods.js";

interface Input extends RawLayout {
  readonly signal: string;
  readonly pods: readonly RawPod[];
  readonly podStats: readonly PodStatistics[];
}

/** The kubelet ranks critical pods too and passes over them later; here they are put to the strategy as any other. */
export const adapter: Adapter<Input> = {
  run(input) {
    only("input", input, "signal", "dedicatedImageFs", "splitContainerImageFs", "pods", "podStats");
    const signal = signalOf(input.signal);
    const layout = toLayout(input);
    const statistics = statisticsByUid(input.podStats.map(checkedPodStatistics));
    const pods = toPods(input.pods);
    const candidates = pods.map((pod) => candidateOf(signal, pod, statistics.get(pod.metadata.uid), layout));
    const order = kubelet({ signal, resource: resourceOf(signal), candidates, layout });
    const names = new Map(pods.map(({ metadata }) => [metadata.uid, metadata.name]));
    return { order: order.map(({ uid }) => names.get(uid)) };
  },
};
