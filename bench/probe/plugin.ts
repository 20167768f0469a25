/** The plugin in this process, on pods that only it believes in: real sockets, real time, no containers. */

import {
  AdmissionVerdict,
  type ContainerStatus,
  type NodeContext,
  type NodeView,
  type PluginInstance,
  type Pod,
} from "@hooklet/core";
import { createGuardedHooks } from "@hooklet/core/internal";
import type { ProbeNetwork } from "@hooklet/plugin-probe";
import { createProbePlugin, realNetwork, schedules } from "@hooklet/plugin-probe/internal";
import { systemClock } from "@hooklet/utils";

/** `port` makes HTTP probes where `http` is set, else TCP ones; pod number i has the address `address(i)`. */
export interface Load {
  readonly pods: number;
  readonly periodSeconds: number;
  readonly http: boolean;
  readonly port: number;
  readonly address: (i: number) => string;
}

export function pods({ pods: count, periodSeconds, http, port, address }: Load): readonly Pod[] {
  const action = http ? { httpGet: { path: "/", port } } : { tcpSocket: { port } };
  return Array.from({ length: count }, (_, i) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p${i}`, namespace: "default", uid: `uid-${i}` },
    spec: { containers: [{ name: "main", image: "host", livenessProbe: { ...action, periodSeconds } }] },
    status: { phase: "Running", podIP: address(i) },
  })) as readonly Pod[];
}

/** Takes up the probes of all pods as an agent does that finds them running. */
export async function startProbes(list: readonly Pod[], network: ProbeNetwork = realNetwork): Promise<PluginInstance> {
  const byUid = new Map(list.map((pod) => [pod.metadata.uid, pod]));
  const startedAt = systemClock.now() - 60_000;
  const guard = createGuardedHooks({
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
  });
  const nothing = (): void => {};
  const metric = { inc: nothing, set: nothing, observe: nothing, remove: nothing };
  const context: unknown = {
    clock: systemClock,
    hooks: guard.forPlugin("probe"),
    log: { warn: nothing, error: nothing, info: nothing, debug: nothing },
    events: { pod: nothing, node: nothing },
    decisions: { record: nothing },
    metrics: { counter: () => metric, gauge: () => metric, histogram: () => metric },
    runtime: {},
    checkpoint: () => ({ read: async () => undefined, write: async () => {} }),
    pods: {
      get: (uid: string) => byUid.get(uid),
      list: () => list,
      running: ({ podUid }: { podUid: string }) => ({ containerId: `c-${podUid}`, startedAt }),
      setContainerReady: nothing,
      setContainerStarted: nothing,
      restartContainer: nothing,
    },
  };
  const slots = { exec: 64, http: 4096, tcp: 4096, grpc: 1024 };
  const options = { subSecond: false, hosts: "any", grpcTLS: false } as const;
  const schedule = schedules.kubelet?.create({} as never);
  if (schedule === undefined) throw new Error("there is no schedule named kubelet");
  const plugin = createProbePlugin(network);
  const started = await plugin.start(context as NodeContext, { ...options, maxConcurrent: slots }, { schedule });
  const instance = (started ?? {}) as PluginInstance;
  await instance.open?.({ pods: list, containers: [] } as unknown as NodeView);
  for (const pod of list) {
    const { uid } = pod.metadata;
    const main = {
      id: `c-${uid}`,
      state: "CONTAINER_RUNNING",
      metadata: { name: "main", attempt: 0 },
      labels: { "io.kubernetes.pod.uid": uid },
      startedAt: BigInt(startedAt) * 1_000_000n,
    } as unknown as ContainerStatus;
    const { signal } = new AbortController();
    await guard.hooks.podAdmit.promise(AdmissionVerdict.admitted(), {
      pod,
      otherPods: [],
      running: [main],
      isTakenOver: true,
      signal,
    });
  }
  return instance;
}
