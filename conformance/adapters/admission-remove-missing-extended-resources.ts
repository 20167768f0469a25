import { removeMissingExtendedResources } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawNode, type RawPod, toNodeFacts } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly node: RawNode;
  /** hooklet has no DRA: those with the gate on are skipped by name. */
  readonly DRAExtendedResource?: false;
}

export const adapter: Adapter<Input> = {
  keys: ["pod", "node", "DRAExtendedResource"],
  run({ pod, node }) {
    const { allocatable } = toNodeFacts(node);
    // The pod as it stands, so that nothing is filled in that the answer would have to show.
    const bare = pod as Parameters<typeof removeMissingExtendedResources>[0];
    return { pod: removeMissingExtendedResources(bare, allocatable) };
  },
};
