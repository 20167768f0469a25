/**
 * The probe rows of a kubelet's figures on a real containerd (root, scripts/containerd.mjs): 110 pods of two containers
 * with 330 probes (http, tcp, exec), beside a bare loop that makes the same ones, and what one exec and one restart take.
 * PROBE_CRI_PODS=20 for fewer pods, PROBE_CRI_PERIODS=0,10 for other periods (0: no probes, and the bare loop).
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Node } from "./cri/node.js";
import { bareLoop, WARM_UP } from "./probe-cri/bare.js";
import { execCost } from "./probe-cri/exec-cost.js";
import { livenessFailure } from "./probe-cri/liveness.js";
import { manifest } from "./probe-cri/manifest.js";
import { pause } from "./wait.js";

export const title = "110 pods with 330 probes on a real containerd: CPU and memory of the agent, by period";

const SCRIPT = fileURLToPath(new URL("../../scripts/containerd.mjs", import.meta.url));
const PODS = Number(process.env.PROBE_CRI_PODS ?? 110);
/** Seconds; 0 = pods without probes. */
const PERIODS = (process.env.PROBE_CRI_PERIODS ?? "0,10,1").split(",").map(Number);
const SECONDS = 30;

export async function run(): Promise<void> {
  const containerd = (command: string): string =>
    execFileSync(process.execPath, [SCRIPT, command, "--name", "probbnch"], { encoding: "utf8" }).trim();
  const endpoint = `unix://${containerd("start")}`;
  try {
    console.table([await livenessFailure(endpoint)]);
    const rows = [];
    for (const periodSeconds of PERIODS) rows.push(await measured(endpoint, periodSeconds));
    console.table(rows);
  } finally {
    containerd("stop");
  }
}

async function measured(endpoint: string, periodSeconds: number): Promise<Record<string, string>> {
  const node = await Node.start(endpoint);
  try {
    await node.bringUp(PODS, (name) => manifest(name, periodSeconds), 2 * PODS);
    const began = performance.now();
    await node.allReady(PODS);
    const ready = performance.now() - began;
    // As long as the bare loop had.
    await pause(WARM_UP + periodSeconds * 1000);
    const [cpu, probes, from] = [await node.cpuSeconds(), await node.probes(), performance.now()];
    await pause(SECONDS * 1000);
    const seconds = (performance.now() - from) / 1000;
    const [used, made] = [(await node.cpuSeconds()) - cpu, await node.probes()];
    if (periodSeconds === 0) await bare(endpoint);
    return {
      pods: String(PODS),
      "period s": periodSeconds === 0 ? "no probes" : String(periodSeconds),
      "probes a second": ((made.successful - probes.successful) / seconds).toFixed(0),
      "failed a second": ((made.others - probes.others) / seconds).toFixed(0),
      "agent CPU, cores": (used / seconds).toFixed(3),
      "RSS MiB": ((await node.residentBytes()) / 2 ** 20).toFixed(0),
      "running to all ready ms": ready.toFixed(0),
    };
  } finally {
    await node.takeDown();
    await node.remove();
  }
}

/** On pods without other probes: the same probes as plain calls. */
async function bare(endpoint: string): Promise<void> {
  const rows = [];
  for (const periodSeconds of PERIODS.filter((period) => period > 0)) {
    const { cores, rate } = await bareLoop(endpoint, periodSeconds, SECONDS);
    rows.push({
      "bare loop, period s": String(periodSeconds),
      "probes a second": rate.toFixed(0),
      "CPU, cores": cores.toFixed(3),
    });
  }
  console.table(rows);
  console.table([await execCost(endpoint)]);
}
