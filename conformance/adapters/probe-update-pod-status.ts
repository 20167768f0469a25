import { type ProbeKind, probedStatus, type Result } from "@hooklet/plugin-probe";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly containerStatuses: readonly {
    readonly name: string;
    readonly state: string;
    readonly started?: boolean;
    readonly ready?: boolean;
    readonly startedBeforeKubeletStartSeconds?: number;
  }[];
  readonly workers: readonly (readonly [string, ProbeKind])[];
  readonly startup_results: Readonly<Record<string, Result>>;
  readonly readiness_results: Readonly<Record<string, Result>>;
  readonly pod_ready_condition?: boolean;
  readonly keepStatusAcrossKubeletRestart?: boolean;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const has = (name: string, kind: ProbeKind): boolean =>
      input.workers.some((own) => own[0] === name && own[1] === kind);
    const statuses = input.containerStatuses.map((status) => {
      const { name, state, started = false, ready = false, startedBeforeKubeletStartSeconds: age = 0 } = status;
      const adopted = input.keepStatusAcrossKubeletRestart === true && age > 10;
      const { triggerReadiness, ...probed } = probedStatus({
        running: state === "running",
        startup: input.startup_results[name],
        hasStartupWorker: has(name, "startup"),
        readiness: input.readiness_results[name],
        hasReadinessWorker: has(name, "readiness"),
        ready,
        ...(adopted ? { remembered: { ready: input.pod_ready_condition ?? true, started } } : {}),
      });
      return { name, ...probed, readiness_triggered: triggerReadiness };
    });
    return { statuses };
  },
};
