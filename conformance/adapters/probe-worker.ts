import type { Container } from "@hooklet/core";
import { shouldRestart } from "@hooklet/core/rules";
import type { ProbeKind } from "@hooklet/plugin-probe";
import { newWorker, next, type PodLook, ResultCache } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";
import { toPod } from "./pods.js";

interface RawContainer {
  readonly id: string;
  readonly state: "waiting" | "running" | "terminated";
  readonly started?: boolean;
  readonly runningForSeconds?: number;
  readonly exitCode?: number;
  readonly startedBeforeKubeletStartSeconds?: number;
}

interface Input {
  readonly kind: ProbeKind;
  readonly spec: {
    readonly initialDelaySeconds: number;
    readonly successThreshold: number;
    readonly failureThreshold: number;
  };
  readonly podRestartPolicy: string;
  readonly containerRestartPolicy?: string;
  readonly podDeletionRequested: boolean;
  /** Needs no heed: what tells is the container's own restart policy. */
  readonly isInitContainer?: boolean;
  readonly keepStatusAcrossKubeletRestart?: boolean;
  readonly steps: readonly {
    readonly status: null | { readonly phase: string; readonly container: RawContainer | null };
    readonly probe_outcome: "success" | "warning" | "failure" | "unknown" | "error" | "panic";
  }[];
}

const CONTAINER = ["id", "state", "started", "runningForSeconds", "exitCode", "startedBeforeKubeletStartSeconds"];

export const adapter: Adapter<Input> = {
  keys: [
    "kind",
    "spec",
    "podRestartPolicy",
    "podDeletionRequested",
    "steps",
    "containerRestartPolicy",
    "isInitContainer",
    "keepStatusAcrossKubeletRestart",
  ],
  run(input) {
    const rule = { kind: input.kind, ...input.spec };
    const cache = new ResultCache();
    let state = newWorker;
    const steps = input.steps.map(({ status, probe_outcome: outcome }) => {
      let step = next(rule, state, { type: "look", pod: status === null ? undefined : look(input, status) });
      const changes = [...step.changes];
      const probed = step.act === "probe";
      const goesOn = step.act !== "end";
      // An error is thrown away, a crash swallowed: the machine hears of neither.
      if (probed && outcome !== "error" && outcome !== "panic") {
        const result = outcome === "success" || outcome === "warning" ? "success" : "failure";
        step = next(rule, step.state, { type: "probed", result });
        changes.push(...step.changes);
      }
      state = step.state;
      for (const { drop, store } of changes) {
        if (drop !== undefined) cache.remove(drop);
        if (store !== undefined) cache.set(store.containerId, store.result);
      }
      const result = cache.get(state.containerId) ?? null;
      return { continue: goesOn, result, onHold: state.onHold, resultRun: state.resultRun, probed };
    });
    return { steps };
  },
};

function look(input: Input, { phase, container }: { phase: string; container: RawContainer | null }): PodLook {
  const deletionRequested = input.podDeletionRequested;
  if (container === null) return { phase, deletionRequested, container: undefined };
  onlyKnown(container, CONTAINER, "container");
  const { id, state, started = false, runningForSeconds = 0, exitCode = 0 } = container;
  const { startedBeforeKubeletStartSeconds: age = 0 } = container;
  const adopted = input.keepStatusAcrossKubeletRestart === true && age > 10;
  const own = input.containerRestartPolicy;
  const raw = { name: "main", ...(own === undefined ? {} : { restartPolicy: own }) };
  const pod = toPod({ spec: { restartPolicy: input.podRestartPolicy, containers: [raw] } });
  const restarts = shouldRestart(pod, pod.spec.containers[0] as Container, exitCode);
  return {
    phase,
    deletionRequested,
    container: { id, state, started, runningForSeconds, willRestart: restarts, adopted },
  };
}
