/** Why a container that runs is not ready. Pure. */
import { allContainers } from "@hooklet/manifest";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import { changed, waitCommand } from "./commands.js";
import { type Cause, type CauseFacts, sentence } from "./facts.js";

/** Undefined: it has no probe that could be the reason. */
export function probeCause({ pod, events }: CauseFacts, { name, started }: ContainerStatus): Cause | undefined {
  const container = allContainers(pod).find((one) => one.name === name);
  const isStarting = container?.startupProbe !== undefined && started !== true;
  const field = isStarting ? "startupProbe" : "readinessProbe";
  if (container?.[field] === undefined) return undefined;
  const title = isStarting ? "Startup" : "Readiness";
  const failed = events.findLast(
    ({ reason, message = "", involvedObject }) =>
      reason === "Unhealthy" &&
      message.startsWith(`${title} probe`) &&
      (involvedObject.fieldPath?.includes(`{${name}}`) ?? true),
  );
  if (failed === undefined) {
    return {
      cause: `The ${title.toLowerCase()} probe of container ${name} has not succeeded yet.`,
      next: `Wait for it: ${waitCommand(pod)}.`,
    };
  }
  const said = (failed.message ?? "").replace(/^\w+ probe (?:failed|errored)[^:]*: ?/, "").trim();
  return {
    cause: sentence(`The ${title.toLowerCase()} probe of container ${name} fails${said === "" ? "" : `: ${said}`}`),
    next: `Let the program answer the probe, or change ${field} ${changed(pod)}.`,
  };
}
