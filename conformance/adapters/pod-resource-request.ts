import { podRequest } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly resource: string;
  readonly PodLevelResources?: boolean;
}

export const adapter: Adapter<Input> = {
  keys: ["pod", "resource"],
  run: ({ pod, resource, PodLevelResources = true }) => ({
    value: podRequest(toPod(pod), resource, { podLevelResources: PodLevelResources }),
  }),
};
