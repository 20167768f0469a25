/** Which driver names cgroups here. */
import { NodeAgentError, type NodeContext } from "@hooklet/core";
import type { CgroupDriver } from "../name/name.js";

/** What the runtime says, else the option. @throws NodeAgentError INVALID for `systemd` where the runtime makes cgroups itself */
export async function driverOf(
  ctx: Pick<NodeContext, "runtime" | "log">,
  options: { readonly cgroupDriver?: CgroupDriver | undefined },
): Promise<CgroupDriver> {
  const { cgroupDriver: reported } = await ctx.runtime.facts();
  const driver = reported ?? options.cgroupDriver ?? "cgroupfs";
  if (reported !== undefined && options.cgroupDriver !== undefined && reported !== options.cgroupDriver) {
    ctx.log.warn(`option cgroupDriver is ${options.cgroupDriver}, but the runtime uses ${reported}: that is taken`);
  }
  if (driver === "systemd" && ctx.runtime.name === "process") {
    throw new NodeAgentError(
      "INVALID",
      'option cgroupDriver: expected "cgroupfs" on the process runtime, which makes cgroups itself, found "systemd".',
    );
  }
  return driver;
}
