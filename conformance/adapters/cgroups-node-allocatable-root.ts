import { type CgroupDriver, cgroupPath, nodeAllocatableRoot } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

interface Input {
  readonly cgroupRoot: string;
  readonly cgroupsPerQOS: boolean;
  readonly cgroupDriver: CgroupDriver;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["cgroupRoot", "cgroupsPerQOS", "cgroupDriver"]);
    const { cgroupRoot, cgroupsPerQOS, cgroupDriver } = input;
    return { path: cgroupPath(nodeAllocatableRoot(cgroupRoot, cgroupsPerQOS), cgroupDriver) };
  },
};
