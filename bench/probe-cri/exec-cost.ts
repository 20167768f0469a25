/** What one exec costs through containerd, on our side and on theirs. */
import { openRuntime } from "../cri/bare.js";
import { runtimeCpuSeconds } from "../processes.js";

const EXECS = 100;

/** Needs a running container named `side`. */
export async function execCost(endpoint: string): Promise<Record<string, string>> {
  const runtime = openRuntime(endpoint);
  try {
    await runtime.start();
    const containers = await runtime.listContainers();
    const side = containers.find(({ metadata, state }) => metadata.name === "side" && state === "CONTAINER_RUNNING");
    if (side === undefined) throw new Error("no container named side runs");
    const socket = endpoint.replace("unix://", "");
    for (let i = 0; i < 20; i++) await runtime.execSync(side.id, ["true"], 5);
    const [own, theirs] = [process.cpuUsage(), await runtimeCpuSeconds(socket)];
    const took: number[] = [];
    for (let i = 0; i < EXECS; i++) {
      const began = performance.now();
      await runtime.execSync(side.id, ["true"], 5);
      took.push(performance.now() - began);
    }
    const { user, system } = process.cpuUsage(own);
    const runtimeCpu = (await runtimeCpuSeconds(socket)) - theirs;
    took.sort((a, b) => a - b);
    return {
      execs: String(EXECS),
      "latency ms p50": (took[EXECS / 2] ?? Number.NaN).toFixed(1),
      p99: (took[EXECS - 2] ?? Number.NaN).toFixed(1),
      "our CPU ms each": ((user + system) / 1000 / EXECS).toFixed(2),
      "containerd, shim, runc: CPU ms each": ((runtimeCpu * 1000) / EXECS).toFixed(1),
    };
  } finally {
    await runtime.close();
  }
}
