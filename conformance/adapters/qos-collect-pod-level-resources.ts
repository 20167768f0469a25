import { collectPodLevelResources } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { toAnswer } from "./qos-collect-container-level-resources.js";

export const adapter: Adapter<{ readonly podResources: Parameters<typeof collectPodLevelResources>[0] }> = {
  keys: ["podResources"],
  run: ({ podResources }) => toAnswer(collectPodLevelResources(podResources)),
};
