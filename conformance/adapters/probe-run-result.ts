import type { Attempt } from "@hooklet/plugin-probe";
import { probeKinds, probeRound, type RawResult } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly probe?: null | string | object;
  readonly raw?: RawResult;
  readonly output?: string;
  readonly attempts?: readonly (RawResult | "error")[];
  readonly raw_error?: string;
  /** A kind that there is not. */
  readonly kind?: unknown;
}

export const adapter: Adapter<Input> = {
  keys: ["probe", "raw", "output", "attempts", "raw_error", "kind"],
  async run({ probe, raw, output = "", attempts, raw_error, kind }) {
    // Kinds are those of the API here: another one has no worker, which the kubelet calls an error.
    if (kind !== undefined && !probeKinds.some((known) => known === kind)) return { result: "failure", error: true };
    // A container without this probe has no worker; the kubelet's function says success.
    if (probe === null) return { result: "success", error: false, event: null };
    const isEmpty = typeof probe === "object";
    const outcomes = attempts ?? [isEmpty || raw === undefined ? "error" : raw];
    let made = 0;
    const round = await probeRound("liveness", async (): Promise<Attempt> => {
      const outcome = outcomes[Math.min(made++, outcomes.length - 1)] ?? "error";
      return outcome === "error"
        ? { result: "unknown", output, error: "missing probe handler" }
        : { result: outcome, output, ...(raw_error === undefined ? {} : { error: raw_error }) };
    });
    const event = round.event && { ...round.event, message: round.event.message.replace(/^Liveness/, "<Kind>") };
    return { result: round.result, error: round.error, event: event ?? null, attempts: made };
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};
