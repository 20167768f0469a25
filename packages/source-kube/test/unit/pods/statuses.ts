/** Statuses of pods for tests. */
import { aPod } from "@hooklet/testkit";
import { type Condition, mergedStatus, type Status } from "../../../src/pods/status-patch.js";

export const EARLY = "2026-01-01T00:00:00Z";
export const LATE = "2026-01-01T01:00:00Z";

export const condition = (type: string, status: string, more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  lastTransitionTime: LATE,
  ...more,
});
export const running = (name: string) => ({
  name,
  state: { running: { startedAt: EARLY } },
  ready: true,
  restartCount: 0,
  image: "i",
  imageID: "i",
});
export const exited = (name: string, exitCode: number, reason: string) => ({
  ...running(name),
  ready: false,
  state: { terminated: { exitCode, reason } },
});

export function merged(
  said: Status,
  inApi: Status = {},
  more: { generation?: number; foreign?: string[] } = {},
): Status {
  const pod = { ...aPod(), status: said as never };
  const { generation, foreign = [] } = more;
  return mergedStatus({ pod, inApi, generation, hostIP: "10.0.0.1", foreign: new Set(foreign) });
}
