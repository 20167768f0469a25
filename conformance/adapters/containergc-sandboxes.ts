import { sandboxesToRemove } from "@hooklet/plugin-imagegc/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";
import { carriedOut, podStates } from "./containergc-containers.js";

interface Input {
  readonly sandboxes: readonly {
    readonly pod: string;
    readonly created: number;
    readonly state: "ready" | "notready";
  }[];
  readonly sandboxes_with_containers: readonly number[];
  readonly evict_terminated_pods: boolean;
  readonly deleted_pods: readonly string[];
  readonly terminated_pods: readonly string[];
  readonly stop_fails?: readonly number[];
  readonly remove_fails?: readonly number[];
}

const KEYS = ["sandboxes", "sandboxes_with_containers", "stop_fails", "remove_fails"];
const POD_KEYS = ["evict_terminated_pods", "deleted_pods", "terminated_pods"];

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKnown(input, [...KEYS, ...POD_KEYS], "input");
    const sandboxes = input.sandboxes.map((sandbox, index) => {
      onlyKnown(sandbox, ["pod", "created", "state"], `sandboxes[${index}]`);
      return {
        id: String(index),
        index,
        podUid: sandbox.pod,
        created: sandbox.created * 1000,
        ready: sandbox.state === "ready",
        hasContainers: input.sandboxes_with_containers.includes(index),
      };
    });
    const removals = sandboxesToRemove(sandboxes, podStates(input)).map(({ sandbox: { index } }) => ({
      index,
      stopFirst: true,
    }));
    return carriedOut(removals, sandboxes.length, input);
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};
