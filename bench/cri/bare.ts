/** The CRI calls that a pod needs, eight pods at a time, without any agent. */

import type { ContainerConfig, SandboxConfig } from "@hooklet/core/host";
import { CriRuntime, criRuntimeOptions } from "@hooklet/runtime-cri";
import { Semaphore, systemClock } from "@hooklet/utils";
import { pino } from "pino";
import { median } from "../statistics.js";
import { pause } from "../wait.js";

const AT_ONCE = 8;
export const IMAGE = "busybox:1.36";
export const COMMAND = ["sh", "-c", 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'];

export function openRuntime(endpoint: string): CriRuntime {
  const ctx = { clock: systemClock, log: pino({ level: "silent" }), rootDir: "/nonexistent", nodeName: "bench" };
  return new CriRuntime(ctx, criRuntimeOptions.parse({ endpoint }), undefined);
}

/** When they ran, the median of milliseconds of `alone` pods that end one by one, and milliseconds until all others were gone. */
export async function bareRun(
  endpoint: string,
  pods: number,
  alone = 0,
): Promise<{ readonly alone: number; readonly stop: number; readonly order: StartOrder }> {
  const runtime = openRuntime(endpoint);
  try {
    await runtime.start();
    const image = await runtime.imageStatus(IMAGE);
    if (image === undefined) throw new Error(`${IMAGE} is not imported`);
    const slots = new Semaphore(AT_ONCE);
    const numbers = Array.from({ length: pods }, (_, number) => number);
    const wall = Date.now();
    const ids = await Promise.all(
      numbers.map((number) =>
        slots.run(async () => {
          const sandbox = sandboxOf(number);
          const sandboxId = await runtime.runSandbox(sandbox);
          const id = await runtime.createContainer(sandboxId, containerOf(image.id), sandbox);
          await runtime.startContainer(id);
          return { sandboxId, id };
        }),
      ),
    );
    const order = await startOrder(runtime, wall);
    const end = async ({ sandboxId, id }: (typeof ids)[number]): Promise<number> => {
      const began = performance.now();
      await runtime.stopContainer(id, 2);
      await runtime.stopSandbox(sandboxId);
      await runtime.removeContainer(id);
      await runtime.removeSandbox(sandboxId);
      return performance.now() - began;
    };
    const one: number[] = [];
    for (const pod of ids.slice(0, alone)) {
      one.push(await end(pod));
      await pause(500);
    }
    const stopping = performance.now();
    await Promise.all(ids.slice(alone).map((pod) => slots.run(() => end(pod))));
    return { alone: median(one), stop: performance.now() - stopping, order };
  } finally {
    await runtime.close();
  }
}

/** When containers ran, milliseconds after the beginning. */
export interface StartOrder {
  readonly first: number;
  readonly median: number;
  readonly last: number;
}

/** `began`: milliseconds since the epoch. */
export async function startOrder(runtime: CriRuntime, began: number): Promise<StartOrder> {
  const containers = await runtime.listContainers();
  const statuses = await Promise.all(containers.map(({ id }) => runtime.containerStatus(id)));
  const times = statuses.map(({ startedAt }) => Number(startedAt / 1_000_000n) - began).sort((a, b) => a - b);
  const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
  return { first: times[0] ?? Number.NaN, median: at(0.5), last: at(1) };
}

const namespaces = { network: "POD", pid: "CONTAINER", ipc: "POD" } as const;
const unconfined = { profileType: "Unconfined", localhostRef: "" } as const;

function sandboxOf(number: number): SandboxConfig {
  const name = `bare-${number}`;
  return {
    metadata: { name, namespace: "default", uid: name, attempt: 0 },
    hostname: name,
    logDirectory: `/tmp/hooklet-containerd/bench/logs/${name}`,
    labels: {},
    annotations: {},
    portMappings: [],
    linux: {
      cgroupParent: "",
      sysctls: {},
      securityContext: {
        namespaces,
        supplementalGroups: [],
        readonlyRootfs: false,
        privileged: false,
        seccomp: { profileType: "RuntimeDefault", localhostRef: "" },
      },
    },
    runtimeHandler: "",
  };
}

function containerOf(image: string): ContainerConfig {
  return {
    metadata: { name: "main", attempt: 0 },
    image: { image, userSpecifiedImage: IMAGE },
    command: COMMAND,
    args: [],
    workingDir: "",
    envs: [],
    mounts: [],
    devices: [],
    cdiDevices: [],
    labels: {},
    annotations: {},
    logPath: "main/0.log",
    stdin: false,
    stdinOnce: false,
    tty: false,
    linux: {
      resources: {},
      securityContext: {
        capabilities: { add: [], drop: [] },
        privileged: false,
        namespaces,
        supplementalGroups: [],
        readonlyRootfs: false,
        noNewPrivs: false,
        maskedPaths: [],
        readonlyPaths: [],
        seccomp: unconfined,
      },
    },
  };
}
