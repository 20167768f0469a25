import { type CgroupDriver, nodeAllocatablePath } from "@hooklet/plugin-cgroups";
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
    return { path: nodeAllocatablePath(input.cgroupRoot, input.cgroupsPerQOS, input.cgroupDriver) };
  },
};
