import { containerReady } from "@hooklet/core/rules";
import type { ProbeKind } from "@hooklet/plugin-probe";
import { probedStatus, type Result } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";

interface RawStatus {
  readonly name: string;
  readonly state: string;
  readonly exitCode?: number;
  readonly started?: boolean;
  readonly ready?: boolean;
  readonly startedBeforeKubeletStartSeconds?: number;
}

interface RawContainer {
  readonly name: string;
  readonly restartPolicy?: string;
  /** Reported by the workers as well. */
  readonly hasReadinessProbe?: boolean;
}

interface Input {
  readonly containerStatuses?: readonly RawStatus[];
  readonly containers?: readonly RawContainer[];
  readonly initContainerStatuses?: readonly RawStatus[];
  readonly initContainers?: readonly RawContainer[];
  readonly workers: readonly (readonly [string, ProbeKind])[];
  readonly startup_results: Readonly<Record<string, Result>>;
  readonly readiness_results: Readonly<Record<string, Result>>;
  readonly pod_ready_condition?: boolean;
  readonly keepStatusAcrossKubeletRestart?: boolean;
}

const STATUS = ["name", "state", "exitCode", "started", "ready", "startedBeforeKubeletStartSeconds"];

export const adapter: Adapter<Input> = {
  keys: [
    "containerStatuses",
    "containers",
    "initContainerStatuses",
    "initContainers",
    "workers",
    "startup_results",
    "readiness_results",
    "pod_ready_condition",
    "keepStatusAcrossKubeletRestart",
  ],
  run(input) {
    const { containerStatuses = [], containers = [], initContainerStatuses = [], initContainers = [] } = input;
    for (const one of [...containers, ...initContainers]) {
      onlyKnown(one, ["name", "restartPolicy", "hasReadinessProbe"], "container");
    }
    const plain = new Set(
      initContainers.filter(({ restartPolicy }) => restartPolicy !== "Always").map(({ name }) => name),
    );
    const statuses = [...initContainerStatuses, ...containerStatuses].map((status) =>
      statusOf(input, status, plain.has(status.name)),
    );
    return { statuses };
  },
};

function statusOf(input: Input, status: RawStatus, plainInit: boolean): object {
  onlyKnown(status, STATUS, "status");
  const has = (kind: ProbeKind): boolean => input.workers.some((own) => own[0] === status.name && own[1] === kind);
  const { name, state, exitCode, ready = false, startedBeforeKubeletStartSeconds: age = 0 } = status;
  const adopted = input.keepStatusAcrossKubeletRestart === true && age > 10;
  const probed = probedStatus({
    running: state === "running",
    startup: input.startup_results[name],
    hasStartupWorker: has("startup"),
    readiness: input.readiness_results[name],
    hasReadinessWorker: has("readiness"),
    ready,
    ...(adopted ? { remembered: { ready: input.pod_ready_condition ?? true, started: status.started ?? false } } : {}),
  });
  const { started, triggerReadiness } = probed;
  return {
    name,
    started,
    ready: containerReady({ plainInit, exitCode, started, gate: probed.ready }),
    readiness_triggered: triggerReadiness && !plainInit,
  };
}
