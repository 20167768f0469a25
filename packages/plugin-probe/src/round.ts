/** One probe round: up to three attempts, then the worker's result and the event (the kubelet's prober.go). */
import type { EventType } from "@hooklet/core";
import { type Attempt, kindText, type ProbeKind } from "./types.js";

const MAX_ATTEMPTS = 3;

export interface RoundEvent {
  readonly type: EventType;
  readonly reason: "Unhealthy" | "ProbeWarning";
  readonly message: string;
}

export interface Round {
  readonly result: "success" | "failure";
  /** The round is thrown away. */
  readonly error: boolean;
  readonly event?: RoundEvent;
  readonly output: string;
}

/** Attempts follow each other at once, and only as long as they end with an error. */
export async function probeRound(kind: ProbeKind, attempt: () => Promise<Attempt>): Promise<Round> {
  let last = await attempt();
  for (let made = 1; made < MAX_ATTEMPTS && last.error !== undefined; made++) last = await attempt();
  return roundOf(kind, last);
}

export function roundOf(kind: ProbeKind, { result, output, error }: Attempt): Round {
  const event = (reason: RoundEvent["reason"], message: string) => ({
    event: { type: "Warning", reason, message: `${kindText(kind)} probe ${message}` } as const,
  });
  if (error !== undefined) {
    return {
      result: "failure",
      error: true,
      output: error,
      ...event("Unhealthy", `errored and resulted in ${result} state: ${error}`),
    };
  }
  switch (result) {
    case "success":
      return { result: "success", error: false, output };
    case "warning":
      return { result: "success", error: false, output, ...event("ProbeWarning", `warning: ${output}`) };
    case "failure":
      return { result: "failure", error: false, output, ...event("Unhealthy", `failed: ${output}`) };
    case "unknown":
      return { result: "failure", error: false, output };
  }
}
