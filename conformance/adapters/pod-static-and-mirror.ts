import { isMirrorPod, isStaticPod } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly pod: RawPod; readonly question: "static" | "mirror" }> = {
  keys: ["pod", "question"],
  run: ({ pod, question }) =>
    question === "static" ? { static: isStaticPod(toPod(pod)) } : { mirror: isMirrorPod(toPod(pod)) },
};
