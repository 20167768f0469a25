import { expect, test } from "@jest/globals";
import { reportedPod } from "../../../src/agent/reports.js";
import { aPod } from "../../pod/pods.js";

const NODE = "192.0.2.1";
const containerStatuses = [{ name: "main", image: "host", imageID: "", ready: true, restartCount: 0 }];
const seen = { annotations: { "kubernetes.io/config.seen": "2026-11-22T10:00:00.123456789Z" } };

test("a pod whose containers have a status is shown with the node's address, as one and as a list", () => {
  const { status } = reportedPod({ ...aPod(), status: { phase: "Running", containerStatuses } }, NODE);
  expect(status).toEqual({ phase: "Running", containerStatuses, hostIP: NODE, hostIPs: [{ ip: NODE }] });
});

test("addresses that it has already stay", () => {
  const own = { containerStatuses, hostIP: "192.0.2.7", hostIPs: [{ ip: "192.0.2.7" }, { ip: "2001:db8::7" }] };
  expect(reportedPod({ ...aPod(), status: own } as never, NODE).status).toEqual(own);
});

test("a pod that was refused, or has no status yet, is shown without", () => {
  expect(reportedPod({ ...aPod(), status: { phase: "Failed" } }, NODE).status).toEqual({ phase: "Failed" });
  expect(reportedPod(aPod(), NODE)).not.toHaveProperty("status");
});

test("its creation time is when its source first delivered it, unless the manifest has one; whole seconds", () => {
  expect(reportedPod(aPod({}, seen), NODE).metadata.creationTimestamp).toBe("2026-11-22T10:00:00Z");
  const created = { ...seen, creationTimestamp: "2026-01-01T00:00:00Z" };
  expect(reportedPod(aPod({}, created as never), NODE).metadata.creationTimestamp).toBe("2026-01-01T00:00:00Z");
  expect(reportedPod(aPod(), NODE).metadata).not.toHaveProperty("creationTimestamp");
});

test("it is as old as the agent before this one has it, where it was taken over", () => {
  const since = (startTime: string) => reportedPod({ ...aPod({}, seen), status: { startTime } } as never, NODE);
  expect(since("2026-11-20T08:00:00Z").metadata.creationTimestamp).toBe("2026-11-20T08:00:00Z");
  expect(since("2026-11-22T10:00:01Z").metadata.creationTimestamp).toBe("2026-11-22T10:00:00Z");
});

test("the same pod is shown as the same object", () => {
  const pod = aPod();
  expect(reportedPod(pod, NODE)).toBe(reportedPod(pod, NODE));
});
