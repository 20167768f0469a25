/** Evicts a pod as the kubelet's killPodNow does: a blocking kill with a limit. */
import { withDeadline } from "../../clock.js";
import { NodeAgentError, notFound } from "../../errors.js";
import type { Eviction } from "../../plugin/contract.js";
import { grace } from "../status/pod-status.js";
import type { PodManager } from "./manager.js";
import type { PodLifePorts } from "./ports.js";

/** The kubelet waits max(10 s, 1.5 x grace period). */
const MINIMUM_WAIT = 10;

/** @throws NodeAgentError NOT_FOUND for an unknown uid, INVALID when the pod was not gone in time */
export async function evict(
  manager: PodManager,
  ports: Pick<PodLifePorts, "clock" | "events">,
  uid: string,
  eviction: Eviction,
  by: string,
): Promise<void> {
  const worker = manager.worker(uid);
  if (worker === undefined) throw notFound("pod with uid", uid, []);
  const { reason, message, condition, gracePeriodSeconds } = eviction;
  worker.dispatch({
    type: "terminate",
    cause: { kind: "evicted", by, reason, message, ...(condition === undefined ? {} : { condition }) },
    at: ports.clock.now(),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  });
  const seconds = grace(worker.state);
  const limit = Math.max(MINIMUM_WAIT, seconds + Math.floor(seconds / 2));
  const ended = manager.until(() => {
    const { kind } = worker.state.life;
    return kind === "ended" || kind === "gone" || kind === "rejected";
  });
  await withDeadline(ports.clock, limit * 1000, ended, () => {
    const text = "Container runtime did not kill the pod within specified grace period.";
    ports.events.pod(worker.pod, "Warning", "ExceededGracePeriod", text);
    return new NodeAgentError("INVALID", "timeout waiting to kill pod");
  });
}
