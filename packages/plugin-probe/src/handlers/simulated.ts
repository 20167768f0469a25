/** Attempts in a simulation: the scenario says what becomes of them. */
import { errorText } from "@hooklet/core";
import type { Attempt, ProbeKind } from "../types.js";
import type { MakeAttempt } from "./run.js";

/** Part `probes` of a simulated world: what becomes of an attempt, now. Takes virtual time where the scenario says so. */
export type SimulatedProbes = (question: SimulatedProbe) => Promise<Attempt>;

export interface SimulatedProbe {
  /** As the runtime names it. */
  readonly containerId: string;
  readonly kind: ProbeKind;
  /** Undefined for other handlers than exec. */
  readonly command?: readonly string[];
  readonly timeoutMilliseconds: number;
}

export function simulatedAttempt(answer: SimulatedProbes): MakeAttempt {
  return (_, { kind, probe, timeoutMilliseconds }, { containerId }): Promise<Attempt> => {
    const command = probe.exec?.command;
    const question = { containerId, kind, timeoutMilliseconds };
    return answer(command === undefined ? question : { ...question, command }).catch((error: unknown) => ({
      result: "unknown",
      output: "",
      error: errorText(error),
    }));
  };
}
