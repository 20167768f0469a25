/** Attempts in a simulation: the scenario says what becomes of them. */
import { errorText, type SimulatedWorld } from "@hooklet/core";
import type { Attempt } from "../types.js";
import type { MakeAttempt } from "./run.js";

export function simulatedAttempt(world: Pick<SimulatedWorld, "probe">): MakeAttempt {
  return async (_, { kind, probe, timeoutMilliseconds }, { containerId }): Promise<Attempt> => {
    const command = probe.exec?.command;
    try {
      return await world.probe({
        containerId,
        kind,
        timeoutMilliseconds,
        ...(command === undefined ? {} : { command }),
      });
    } catch (error) {
      return { result: "unknown", output: "", error: errorText(error) };
    }
  };
}
