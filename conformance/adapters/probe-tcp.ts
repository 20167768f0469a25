import { tcpProbe } from "@hooklet/plugin-probe/internal";
import { systemClock } from "@hooklet/utils";
import type { Adapter } from "../adapter.js";
import { CLOSED_PORT, patience, withBlackhole, withServer } from "./probes.js";

interface Input {
  readonly listening?: boolean;
  readonly port?: number;
  readonly blackhole?: boolean;
  readonly timeoutSeconds?: number;
}

export const adapter: Adapter<Input> = {
  keys: ["listening", "port", "blackhole", "timeoutSeconds"],
  async run({ listening = false, port, blackhole = false, timeoutSeconds = 1 }) {
    const probe = (at: number) =>
      tcpProbe(systemClock, { host: "127.0.0.1", port: at, timeoutMilliseconds: patience(timeoutSeconds, !blackhole) });
    const answer = async () => {
      if (blackhole) return withBlackhole(probe);
      if (listening) return withServer(() => {}, probe);
      return probe(port ?? CLOSED_PORT);
    };
    const { result, output, error } = await answer();
    return { result, output, error: error ?? null };
  },
  part(answer: { readonly output: string }, { output }: { readonly output?: string }) {
    const { output: said, ...rest } = answer;
    if (output === undefined) return rest;
    // The vectors do not tell Go's text of this one, only that it stands there.
    return { ...rest, output: output === ANY_DIAL_ERROR && said.startsWith("dial tcp") ? output : said };
  },
};

const ANY_DIAL_ERROR = "the dial error text";
