/** How soon the end of a container's process shows in the pod's status. */
import { readdir, readFile } from "node:fs/promises";
import { IMAGE } from "./bare.js";
import { Node } from "./node.js";

const EXITS = 20;
/** Distinguished from every other process by how long they sleep. */
const SLEEP = 7_770_000;

/** Milliseconds from the kill to the first answer of /pods that shows it; asked over and over, which is part of the figure. */
export async function exitsKnown(endpoint: string): Promise<Record<string, string>> {
  const node = await Node.start(endpoint);
  try {
    await node.bringUp(EXITS, sleeper);
    await node.allReady(EXITS);
    const took: number[] = [];
    for (let i = 0; i < EXITS; i++) {
      const pid = await pidOf(["sleep", String(SLEEP + i)]);
      process.kill(pid, "SIGKILL");
      const began = performance.now();
      while (!(await ended(node, `p${i}-bench`))) {
        if (performance.now() - began > 60_000) throw new Error(`the end of p${i} is not known after 60 s`);
      }
      took.push(performance.now() - began);
    }
    took.sort((a, b) => a - b);
    const at = (share: number): string => (took[Math.ceil(took.length * share) - 1] ?? Number.NaN).toFixed(0);
    return { exits: String(EXITS), "exit known ms p50": at(0.5), "p90 ms": at(0.9), "max ms": at(1) };
  } finally {
    await node.takeDown();
    await node.remove();
  }
}

async function ended(node: Node, name: string): Promise<boolean> {
  const pod = (await node.pods()).find(({ metadata }) => metadata.name === name);
  return pod?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode === 137;
}

async function pidOf(command: readonly string[]): Promise<number> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line === `${command.join("\0")}\0`) return Number(pid);
  }
  throw new Error(`no process ${command.join(" ")}`);
}

function sleeper(name: string): string {
  const command = ["sleep", String(SLEEP + Number(name.slice(1)))];
  const container = { name: "main", image: IMAGE, imagePullPolicy: "IfNotPresent", command };
  const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 1, containers: [container] };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
}
