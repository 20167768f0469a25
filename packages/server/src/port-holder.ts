/** Who has a port that was to be listened on. */
import { get } from "node:http";
import type { Clock } from "@hooklet/utils";

/** Milliseconds for the whole check: the holder of the port must not delay the start, neither by silence nor by an endless answer. */
const PATIENCE = 1_000;
/** As `/healthz` begins: `ok`, or the parts, when something is wrong with one. */
const HEALTH = /^(?:ok$|\[[+-]\])/;

/** ` (something answers there as a node agent does: ...)` where its `/healthz` says so; else nothing. Never rejects. */
export async function portHolderText(port: number, clock: Clock): Promise<string> {
  const text = await healthOn(port, clock);
  return HEALTH.test(text) || text.includes('"AGENT_STARTING"')
    ? " (something answers there as a node agent does: hooklet, for example of npm start, or a kubelet)"
    : "";
}

function healthOn(port: number, clock: Clock): Promise<string> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/healthz", agent: false }, (answer) => {
      answer.setEncoding("utf8");
      answer.once("data", end).once("end", () => end(""));
      // Cut off in the middle of its answer.
      answer.once("error", () => end(""));
    });
    const limit = clock.schedule(PATIENCE, () => end(""));
    function end(text: string): void {
      limit.cancel();
      resolve(text);
      request.destroy();
    }
    request.on("error", () => end(""));
    request.on("close", () => end(""));
  });
}
