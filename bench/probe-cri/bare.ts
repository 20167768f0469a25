/** What the probes cost without any agent: a process of its own that makes them, measured as the agent is. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { openRuntime } from "../cri/bare.js";
import { cpuSecondsOf } from "../processes.js";
import { pause } from "../wait.js";

const PROGRAM = fileURLToPath(new URL("./bare-loop.js", import.meta.url));
/** Milliseconds beyond the first period: compilers come to rest, and V8 gives back what the start needed. */
export const WARM_UP = 60_000;

/** Cores, and probes a second, against the pods of the bench that run now. */
export async function bareLoop(
  endpoint: string,
  periodSeconds: number,
  seconds: number,
): Promise<{ readonly cores: number; readonly rate: number }> {
  const loop = fork(PROGRAM, [endpoint, String(periodSeconds), ...(await targets(endpoint))]);
  const done = async (): Promise<number> => {
    loop.send("how many?");
    const [count] = (await once(loop, "message")) as [number];
    return count;
  };
  try {
    await pause(WARM_UP + periodSeconds * 1000);
    const [cpu, made, from] = [await cpuSecondsOf(loop.pid ?? 0), await done(), performance.now()];
    await pause(seconds * 1000);
    const passed = (performance.now() - from) / 1000;
    return {
      cores: ((await cpuSecondsOf(loop.pid ?? 0)) - cpu) / passed,
      rate: ((await done()) - made) / passed,
    };
  } finally {
    loop.kill("SIGKILL");
  }
}

/** ADDRESS,CONTAINER-ID of each pod's web server and of the container for execs. */
async function targets(endpoint: string): Promise<readonly string[]> {
  const runtime = openRuntime(endpoint);
  try {
    await runtime.start();
    const containers = await runtime.listContainers();
    const sides = containers.filter(({ metadata, state }) => metadata.name === "side" && state === "CONTAINER_RUNNING");
    return await Promise.all(
      sides.map(async ({ id, sandboxId }) => `${(await runtime.sandboxStatus(sandboxId)).ips[0]},${id}`),
    );
  } finally {
    await runtime.close();
  }
}
