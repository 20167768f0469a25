import { systemClock } from "@hooklet/core/host";
import { tcpProbe } from "@hooklet/plugin-probe";
import type { Adapter } from "../adapter.js";
import { freePort, withServer } from "./probes.js";

export const adapter: Adapter<{ readonly listening: boolean; readonly timeoutSeconds?: number }> = {
  async run({ listening, timeoutSeconds = 1 }) {
    const probe = (port: number) =>
      tcpProbe(systemClock, { host: "127.0.0.1", port, timeoutMilliseconds: timeoutSeconds * 1000 });
    const { result, error } = listening ? await withServer(() => {}, probe) : await probe(await freePort());
    return { result, error: error ?? null };
  },
};
