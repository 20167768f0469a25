import { accountOf, admitPod } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawNode, type RawPod, toNodeFacts, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly node: RawNode;
  readonly pods_on_node?: readonly RawPod[] | null;
}

export const adapter: Adapter<Input> = {
  keys: ["node", "pod", "pods_on_node"],
  run({ pod, node, pods_on_node }) {
    const others = (pods_on_node ?? []).map(toPod);
    const [first] = admitPod(toPod(pod), toNodeFacts(node), accountOf(others));
    return { admit: first === undefined, reason: first?.reason ?? "", message: first?.message ?? "" };
  },
};
