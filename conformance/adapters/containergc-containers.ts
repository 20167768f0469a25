import { containersToRemove, type SeenContainer } from "@hooklet/plugin-imagegc/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";

interface RawContainer {
  readonly pod: string;
  readonly name: string;
  readonly created: number;
  readonly state: SeenContainer["state"];
}

interface Input {
  readonly now: number;
  readonly containers: readonly RawContainer[];
  readonly policy: { readonly minAge: number; readonly maxPerPodContainer: number; readonly maxContainers: number };
  readonly all_sources_ready: boolean;
  readonly evict_terminated_pods: boolean;
  readonly deleted_pods: readonly string[];
  readonly terminated_pods: readonly string[];
  readonly stop_fails?: readonly number[];
  readonly remove_fails?: readonly number[];
}

const KEYS = ["now", "containers", "policy", "stop_fails", "remove_fails"];
const POD_KEYS = ["all_sources_ready", "evict_terminated_pods", "deleted_pods", "terminated_pods"];

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKnown(input, [...KEYS, ...POD_KEYS], "input");
    onlyKnown(input.policy, ["minAge", "maxPerPodContainer", "maxContainers"], "policy");
    const containers = input.containers.map((container, index) => {
      onlyKnown(container, ["pod", "name", "created", "state"], `containers[${index}]`);
      const { pod, name, created, state } = container;
      return { id: String(index), index, podUid: pod, name, created: created * 1000, state };
    });
    const policy = { ...input.policy, minAge: input.policy.minAge * 1000 };
    const removals = containersToRemove(containers, policy, podStates(input), input.now * 1000);
    return carriedOut(
      removals.map(({ container: { index }, stopFirst }) => ({ index, stopFirst })),
      containers.length,
      input,
    );
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};

export function podStates(
  input: Pick<Input, "deleted_pods" | "terminated_pods" | "evict_terminated_pods"> & {
    readonly all_sources_ready?: boolean;
  },
) {
  return {
    allSourcesReady: input.all_sources_ready ?? true,
    isDeleted: (uid: string) => input.deleted_pods.includes(uid),
    // A pod that is gone has ended as well.
    isTerminated: (uid: string) => input.terminated_pods.includes(uid) || input.deleted_pods.includes(uid),
    evictTerminated: input.evict_terminated_pods,
  };
}

/** What the runtime is asked and what is left, when some of its calls fail: who cannot be stopped is not removed. */
export function carriedOut(
  removals: readonly { readonly index: number; readonly stopFirst: boolean }[],
  count: number,
  {
    stop_fails = [],
    remove_fails = [],
  }: { readonly stop_fails?: readonly number[]; readonly remove_fails?: readonly number[] },
): Readonly<Record<string, readonly number[]>> {
  const stopped = removals.filter(({ stopFirst }) => stopFirst).map(({ index }) => index);
  const asked = removals.filter(({ index, stopFirst }) => !(stopFirst && stop_fails.includes(index)));
  const removeCalled = asked.map(({ index }) => index);
  const removed = removeCalled.filter((index) => !remove_fails.includes(index));
  const all = Array.from({ length: count }, (_, index) => index);
  return {
    stop_called: sorted(stopped),
    remove_called: sorted(removeCalled),
    removed: sorted(removed),
    remain: all.filter((index) => !removed.includes(index)),
  };
}

function sorted(indexes: readonly number[]): readonly number[] {
  return [...indexes].sort((a, b) => a - b);
}
