import { accountOf, admitPod } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { withRejection } from "./admission-os-field.js";
import { type RawNode, type RawPod, toNodeFacts, toPod, withThisOs } from "./pods.js";

export const adapter: Adapter<{ readonly pod: RawPod; readonly node: RawNode }> = {
  keys: ["pod", "node"],
  run({ pod, node }) {
    const facts = { ...toNodeFacts(withThisOs(node)), allocatable: { pods: 1 } };
    const [rejection] = admitPod(toPod(withThisOs(pod)), facts, accountOf([]));
    return rejection ? { reject: true, rejection } : { reject: false };
  },
  expected: withRejection,
};
