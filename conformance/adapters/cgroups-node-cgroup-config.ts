import { parseList, type QuantityTexts } from "@hooklet/core/rules";
import { nodeCgroupConfig } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

interface Input {
  readonly resources: QuantityTexts | null;
  readonly compressibleOnly: boolean;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["resources", "compressibleOnly"]);
    const list = input.resources === null ? undefined : parseList(input.resources);
    const config = nodeCgroupConfig(list, input.compressibleOnly);
    if (config === undefined) return { config: null };
    const { cpuShares = null, memory = null, pidsLimit = null, hugePageLimit } = config;
    const hugePages = hugePageLimit ? Object.fromEntries(hugePageLimit) : null;
    return { config: { cpuShares, memory, pidsLimit, hugePageLimit: hugePages } };
  },
};
