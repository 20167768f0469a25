/** From the moment that a container is sick until it is gone and until its successor has started, by containerd's own times. */
import type { CriRuntime } from "@hooklet/runtime-cri";
import { COMMAND, IMAGE, openRuntime } from "../cri/bare.js";
import { Node } from "../cri/node.js";
import { until } from "../wait.js";

/** Each pod fails once: a second restart would wait for its back-off. */
const PODS = 12;

type Listed = Awaited<ReturnType<CriRuntime["listContainers"]>>[number];

export async function livenessFailure(endpoint: string): Promise<Record<string, string>> {
  const runtime = openRuntime(endpoint);
  const node = await Node.start(endpoint);
  try {
    await runtime.start();
    await node.bringUp(PODS, manifest);
    const gone: number[] = [];
    const started: number[] = [];
    for (const { id, sandboxId } of await runtime.listContainers()) {
      const isNew = (one: Listed): boolean => one.sandboxId === sandboxId && one.id !== id;
      await runtime.execSync(id, ["touch", "/sick"], 5);
      const sick = Date.now();
      let next: Listed | undefined;
      await until(async () => {
        next = (await runtime.listContainers()).find((one) => isNew(one) && one.state === "CONTAINER_RUNNING");
        return next !== undefined;
      });
      gone.push(Number((await runtime.containerStatus(id)).finishedAt / 1_000_000n) - sick);
      started.push(Number((await runtime.containerStatus(next?.id ?? "")).startedAt / 1_000_000n) - sick);
    }
    return {
      "exec liveness, period 1 s, threshold 1": `${PODS} pods`,
      "sick -> gone ms p50": at(gone, 0.5),
      "gone max": at(gone, 1),
      "sick -> new one started ms p50": at(started, 0.5),
      "started max": at(started, 1),
      "gone -> started p50": at(
        started.map((time, i) => time - (gone[i] ?? Number.NaN)),
        0.5,
      ),
    };
  } finally {
    await node.takeDown();
    await node.remove();
    await runtime.close();
  }
}

function at(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return String(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
}

function manifest(name: string): string {
  const livenessProbe = { exec: { command: ["test", "!", "-e", "/sick"] }, periodSeconds: 1, failureThreshold: 1 };
  const main = { name: "main", image: IMAGE, imagePullPolicy: "IfNotPresent", command: COMMAND, livenessProbe };
  const spec = { terminationGracePeriodSeconds: 2, containers: [main] };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
}
