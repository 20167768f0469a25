/** Who has a port that was to be listened on. */
import { get } from "node:http";

const PATIENCE = 1_000;
/** As `/healthz` begins: `ok`, or the parts, when something is wrong with one. */
const HEALTH = /^(?:ok$|\[[+-]\])/;

/** ` (another agent answers there: ...)` where its `/healthz` says so; else nothing. Never rejects. */
export async function portHolderText(port: number): Promise<string> {
  const text = await healthOn(port);
  return HEALTH.test(text) || text.includes('"AGENT_STARTING"')
    ? " (another node agent answers there: hooklet, for example of npm start, or a kubelet)"
    : "";
}

function healthOn(port: number): Promise<string> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/healthz", agent: false, timeout: PATIENCE }, (answer) => {
      answer.setEncoding("utf8");
      const end = (text: string): void => {
        resolve(text);
        request.destroy();
      };
      answer.once("data", end).once("end", () => end(""));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(""));
    request.on("close", () => resolve(""));
  });
}
