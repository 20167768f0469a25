/**
 * The program of the baseline: the same probes of the same containers as plain calls of Node.js and the CRI, one interval
 * each. No thresholds, no results, no metrics. Arguments: endpoint, period in seconds, then ADDRESS,CONTAINER-ID per pod.
 */
import { get } from "node:http";
import { connect } from "node:net";
import { openRuntime } from "../cri/bare.js";

const [endpoint = "", period = "10", ...pods] = process.argv.slice(2);
const milliseconds = Number(period) * 1000;
const runtime = openRuntime(endpoint);
await runtime.start();
let done = 0;
process.on("message", () => process.send?.(done));

const probes = pods.flatMap((pod) => {
  const [host = "", id = ""] = pod.split(",");
  return [() => http(host), () => tcp(host), () => exec(id)];
});
probes.forEach((probe, i) => {
  setTimeout(() => setInterval(probe, milliseconds), (i * milliseconds) / probes.length);
});

function http(host: string): void {
  const late = setTimeout(() => request.destroy(), 1_000);
  const request = get({ host, port: 8080, path: "/etc/passwd", agent: false }, (response) => {
    response.on("data", () => undefined);
    response.once("end", () => {
      clearTimeout(late);
      done++;
    });
  });
  request.on("error", () => clearTimeout(late));
}

function tcp(host: string): void {
  const late = setTimeout(() => socket.destroy(), 1_000);
  const socket = connect({ host, port: 8080 }, () => {
    clearTimeout(late);
    socket.destroy();
    done++;
  });
  socket.on("error", () => clearTimeout(late));
}

function exec(id: string): void {
  runtime.execSync(id, ["true"], 1).then(
    () => done++,
    () => undefined,
  );
}
