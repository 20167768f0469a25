import { type CgroupDriver, cgroupPath, parseCgroupPath, podUidOf } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";
import { type RawQosRoots, toQosRoots } from "./cgroups-pod-container-name.js";

interface Input {
  readonly qosContainers: RawQosRoots;
  readonly cgroupDriver: CgroupDriver;
  readonly cgroupName: readonly string[];
  readonly literal_path: string;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["qosContainers", "cgroupDriver", "cgroupName", "literal_path"]);
    const { qosContainers, cgroupDriver, cgroupName, literal_path } = input;
    const path = cgroupPath(cgroupName, cgroupDriver);
    if (path !== literal_path) throw new Error(`${cgroupName.join(", ")} is written ${path}, expected ${literal_path}`);
    const uid = podUidOf(parseCgroupPath(literal_path, cgroupDriver), toQosRoots(qosContainers));
    return { isPod: uid !== undefined, uid: uid ?? "" };
  },
};
