/** What the manager tells, as events, log lines and metrics. */
import type { NodeContext } from "@hooklet/core";
import { Once } from "@hooklet/utils";
import type { Reports } from "./manager/reports.js";

export function reporter(ctx: NodeContext, took: (operation: string, seconds: number) => void): Reports {
  const foreign = new Once();
  return {
    repaired(message, pod) {
      ctx.log.warn(message);
      if (pod === undefined) ctx.events.node("Warning", "CgroupRepaired", message);
      else ctx.events.pod(pod, "Warning", "CgroupRepaired", message);
    },
    refused({ path, message }, pod) {
      ctx.log.error(message);
      if (pod !== undefined) ctx.events.pod(pod, "Warning", "FailedCgroupUpdate", message);
      else {
        const text = `Failed to update Node Allocatable Limits ${JSON.stringify(path)}: ${message}`;
        ctx.events.node("Warning", "FailedNodeAllocatableEnforcement", text);
      }
    },
    removedOrphan: (path, killed) =>
      ctx.log.info(`removed cgroup ${path} of a pod that is gone, with ${killed} processes left in it`),
    foreign(path, processes) {
      if (!foreign.isNews(path)) return;
      const message = `cgroup ${path} holds ${processes} processes of no pod of this agent: it is left alone`;
      ctx.log.warn(message);
      ctx.events.node("Warning", "ForeignPodCgroup", message);
    },
    failedRemoval: (path, message) => ctx.log.error(`cgroup ${path} stays until the next look: ${message}`),
    took,
  };
}
