import { podCgroupSuffix } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly uid: string }> = {
  run(input) {
    onlyKeys(input, ["uid"]);
    return { suffix: podCgroupSuffix(input.uid) };
  },
};
