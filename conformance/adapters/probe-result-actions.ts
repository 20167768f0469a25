import { actionOf, type ProbeKind, type Result } from "@hooklet/plugin-probe";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly kind: ProbeKind;
  readonly result: Result;
  readonly pod_known?: boolean;
}

export const adapter: Adapter<Input> = {
  keys: ["kind", "result", "pod_known"],
  run({ kind, result, pod_known: podKnown = true }) {
    const { statusWrite, syncPod, logStatus } = actionOf(kind, result, podKnown);
    return { status_write: statusWrite ?? null, sync_pod: syncPod, log_status: logStatus };
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};
