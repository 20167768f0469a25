/** The pod resources API, as an exporter uses it. */
import { join } from "node:path";
import type { Pod } from "@hooklet/core";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GrpcClient, service } from "../../../src/grpc/grpc.js";
import { GPU, podOf } from "../../devices.js";
import { FakePlugin } from "../fake-plugin.js";
import { startServers, type TestServers, until } from "../servers.js";

let agent: TestServers;
let pods: Pod[];

beforeEach(async () => {
  pods = [];
  const cpus = {
    exclusiveCpus: (uid: string, name: string) => (uid === "p" && name === "c1" ? [2, 3] : []),
    allocatableCpus: () => [1, 2, 3],
  };
  agent = await startServers({ active: () => pods, list: () => pods }, [cpus]);
});
afterEach(() => agent.stop());

const allocatable = (): number => agent.manager.capacity().allocatable[GPU] ?? 0;

describe("the pod resources API", () => {
  test("lists pods, one pod and what is allocatable, and refuses more than a burst", async () => {
    const plugin = new FakePlugin(agent.folder, GPU, {
      devices: [{ ID: "a", topology: { nodes: [{ ID: 0 }] } }, { ID: "b" }],
    });
    await plugin.start();
    await until(() => allocatable() === 2);
    const pod = podOf("p", [{ gpus: 1 }, {}]);
    pods.push(pod);
    agent.active.add("p");
    for (const container of pod.spec.containers) await agent.manager.allocate(pod, container);
    const client = new GrpcClient(join(agent.folder, "..", "pr", "kubelet.sock"), systemClock);
    const call = (rpc: string, request = {}) => client.call(service("v1.PodResourcesLister"), rpc, request, 5_000);
    const a = { resourceName: GPU, deviceIds: ["a"], topology: { nodes: [{ ID: 0 }] } };
    const b = { resourceName: GPU, deviceIds: ["b"], topology: null };
    const own = {
      name: "p",
      namespace: "default",
      cpuIds: [],
      memory: [],
      containers: [
        { name: "c0", devices: [a], cpuIds: [], memory: [], dynamicResources: [] },
        { name: "c1", devices: [], cpuIds: [2, 3], memory: [], dynamicResources: [] },
      ],
    };
    expect(await call("List")).toEqual({ podResources: [own] });
    expect(await call("Get", { podName: "p", podNamespace: "default" })).toEqual({ podResources: own });
    expect(await call("GetAllocatableResources")).toEqual({ devices: [a, b], cpuIds: [1, 2, 3], memory: [] });
    await expect(call("Get", { podName: "q", podNamespace: "default" })).rejects.toThrow(
      "rpc error: code = Unknown desc = pod q in namespace default not found",
    );
    // However long it takes: at one moment there are ten at most.
    agent.clock.stands = systemClock.monotonic();
    const burst = await Promise.allSettled(Array.from({ length: 100 }, () => call("List")));
    const refused = burst.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    expect(refused.length).toBeGreaterThanOrEqual(90);
    expect(String(refused[0]?.reason)).toContain("rpc error: code = ResourceExhausted desc = rejected by rate limit");
    client.close();
    plugin.kill();
  });
});
