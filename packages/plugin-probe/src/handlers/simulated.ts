/** Attempts in a simulation: the scenario says what becomes of them. */
import { errorText, type SimulatedWorld } from "@hooklet/core";
import type { Attempt } from "../types.js";
import type { MakeAttempt } from "./run.js";

export function simulatedAttempt(world: Pick<SimulatedWorld, "probe">): MakeAttempt {
  return (_, { kind, probe, timeoutMilliseconds }, { containerId }): Promise<Attempt> => {
    const command = probe.exec?.command;
    const question = { containerId, kind, timeoutMilliseconds };
    return world
      .probe(command === undefined ? question : { ...question, command })
      .catch((error: unknown) => ({ result: "unknown", output: "", error: errorText(error) }));
  };
}
