/** A machine for the tests of this package: apart from `world.ts`, so that tests of decisions load no host. */

import { readCgroupLayout } from "@hooklet/core/rules";
import { SimulatedHost, VirtualClock } from "@hooklet/testkit";
import { hostFiles } from "../../src/host/cgroup-files.js";

/** A simulated machine as the plugin's parts see it. */
export function aMachine(version: "v1" | "v2", clock = new VirtualClock()) {
  const host = new SimulatedHost({ clock, cgroups: version });
  const { kernel } = host;
  const layout = readCgroupLayout(kernel.read("/proc/self/mountinfo") ?? "");
  if (layout === undefined) throw new Error("a simulated machine without cgroups");
  return { host, kernel, files: hostFiles(host), layout, clock };
}
