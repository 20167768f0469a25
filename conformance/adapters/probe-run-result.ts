import { type Attempt, probeRound, type RawResult } from "@hooklet/plugin-probe";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly probe: null | string | object;
  readonly raw?: RawResult;
  readonly output?: string;
  readonly attempts?: readonly (RawResult | "error")[];
}

export const adapter: Adapter<Input> = {
  async run({ probe, raw, output = "", attempts }) {
    // A container without this probe has no worker; the kubelet's function says success.
    if (probe === null) return { result: "success", error: false, event: null };
    const isEmpty = typeof probe === "object";
    const outcomes = attempts ?? [isEmpty || raw === undefined ? "error" : raw];
    let made = 0;
    const round = await probeRound("liveness", async (): Promise<Attempt> => {
      const outcome = outcomes[Math.min(made++, outcomes.length - 1)] ?? "error";
      return outcome === "error"
        ? { result: "unknown", output, error: "missing probe handler" }
        : { result: outcome, output };
    });
    const event = round.event && { ...round.event, message: round.event.message.replace(/^Liveness/, "<Kind>") };
    return { result: round.result, error: round.error, event: event ?? null, attempts: made };
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};
