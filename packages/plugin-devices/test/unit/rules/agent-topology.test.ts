/** The topology manager in a whole agent. */
import { definePlugin } from "@hooklet/core";
import type { AlignedResult } from "@hooklet/core/subsystem";
import { aContainer, aPod, type TestAgentOptions } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { devices, GPU } from "../../devices.js";
import { machineOf, rows, running, start, user } from "../agent/story.js";

describe("the topology manager, on two NUMA nodes with two devices each", () => {
  const four = devices(4, [0, 1]);

  async function node(options: object, parts: TestAgentOptions = {}) {
    const { agent, io } = await start(options, { host: machineOf(2), ...parts });
    await io.plug(GPU, four);
    return { agent, io };
  }

  test("two devices of one container come from one node", async () => {
    const { agent } = await node({ topologyManagerPolicy: "single-numa-node" });
    await running(agent, user("a", 2));
    await running(agent, user("b", 2));
    expect(await rows(agent)).toEqual([
      "gpu-0 Healthy a main",
      "gpu-1 Healthy b main",
      "gpu-2 Healthy a main",
      "gpu-3 Healthy b main",
    ]);
  });

  /** One healthy device on each node: none has two. */
  test.each([
    { policy: "best-effort", refused: false },
    { policy: "single-numa-node", refused: true },
  ])(
    "$policy, when what is left lies on both: a pod of two devices is refused: $refused",
    async ({ policy, refused }) => {
      const { agent, io } = await node({ topologyManagerPolicy: policy });
      await io.plug(
        GPU,
        four.map((one) => (["gpu-2", "gpu-3"].includes(one.id) ? one : { ...one, health: "Unhealthy" })),
      );
      await agent.apply(user("pair", 2));
      await agent.advance(1_000);
      expect(agent.pod("pair").status?.reason).toBe(refused ? "TopologyAffinityError" : undefined);
      if (refused) {
        expect(agent.pod("pair").status?.message).toBe(
          "Pod was rejected: Resources cannot be allocated with Topology locality",
        );
      }
    },
  );

  test("scope pod aligns the containers of a pod with each other", async () => {
    const { agent } = await node({ topologyManagerPolicy: "single-numa-node", topologyManagerScope: "pod" });
    const limits = { resources: { limits: { [GPU]: "1" }, requests: { [GPU]: "1" } } };
    await running(
      agent,
      aPod({
        name: "pair",
        containers: [aContainer({ name: "c1", ...limits }), aContainer({ name: "c2", ...limits })],
      }),
    );
    expect(await rows(agent)).toEqual([
      "gpu-0 Healthy pair c1",
      "gpu-1 Healthy",
      "gpu-2 Healthy pair c2",
      "gpu-3 Healthy",
    ]);
  });

  describe("with a plugin that gives out CPUs", () => {
    /** One CPU on each of the nodes named; says what it was asked. */
    function cpus(
      nodes: readonly number[],
      result: (container: string) => AlignedResult | undefined = () => undefined,
    ) {
      const asked: string[] = [];
      const hints = new Map([["cpu", nodes.map((node) => ({ nodes: [node], preferred: true }))]]);
      const plugin = definePlugin({
        meta: { name: "pinner", api: 1 },
        start(ctx) {
          ctx.node.offerHints({
            name: "cpu",
            containerHints: () => hints,
            podHints: () => hints,
            allocate(pod, { name }, affinity) {
              asked.push(`${pod.metadata.name} ${name} ${affinity?.join() ?? "any"}`);
              return result(name);
            },
            exclusiveCpus: () => [],
          });
        },
      });
      return { asked, plugin };
    }

    test.each([
      { policy: "single-numa-node", scope: "container" },
      { policy: "restricted", scope: "pod" },
    ])("$policy, scope $scope: devices come from the node where the CPUs are", async ({ policy, scope }) => {
      const { asked, plugin } = cpus([1]);
      const { agent } = await node(
        { topologyManagerPolicy: policy, topologyManagerScope: scope },
        { plugins: [plugin] },
      );
      await running(agent, user("a", 1));
      expect(asked).toEqual(["a main 1"]);
      expect((await rows(agent)).find((row) => row.includes("main"))).toBe("gpu-1 Healthy a main");
    });

    test("its own reason refuses the pod, and everything that was taken is given back", async () => {
      const given: string[] = [];
      const rejection = { reason: "SMTAlignmentError", message: "SMT Alignment Error: requested 1 cpus" };
      const { plugin } = cpus([0, 1], (name) =>
        name === "c2" ? { rejection } : { undo: () => void given.push(name) },
      );
      const { agent } = await node({ topologyManagerPolicy: "best-effort" }, { plugins: [plugin] });
      const limits = { resources: { limits: { [GPU]: "1" } } };
      await agent.apply(aPod({ name: "a", containers: ["c1", "c2"].map((name) => aContainer({ name, ...limits })) }));
      expect(agent.pod("a").status).toMatchObject({
        phase: "Failed",
        reason: "SMTAlignmentError",
        message: `Pod was rejected: ${rejection.message}`,
      });
      expect(given).toEqual(["c1"]);
      expect((await rows(agent)).filter((row) => row.includes("c1"))).toEqual([]);
    });

    test("what it throws refuses the pod in the kubelet's words", async () => {
      const { plugin } = cpus([0], () => {
        throw new Error("not enough cpus available to satisfy request: requested=2, available=1");
      });
      const { agent } = await node({}, { plugins: [plugin] });
      await agent.apply(user("a", 1));
      expect(agent.pod("a").status).toMatchObject({
        reason: "UnexpectedAdmissionError",
        message:
          "Pod was rejected: Allocate failed due to not enough cpus available to satisfy request: requested=2, available=1, which is unexpected",
      });
    });

    test("a dry run uses its hints and allocates nothing", async () => {
      const { asked, plugin } = cpus([1]);
      const { agent } = await node({ topologyManagerPolicy: "single-numa-node" }, { plugins: [plugin] });
      const manifest = JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "x" },
        spec: { containers: [{ name: "c", image: "app:1", resources: { limits: { [GPU]: 1 } } }] },
      });
      const decisions = await agent.api.plan("devices", { manifest, arguments: {} });
      expect(decisions.map(({ outcome }) => outcome)).toEqual([`${GPU}: gpu-1`, "would be admitted"]);
      expect(asked).toEqual([]);
    });
  });

  test("counts admissions, and what was aligned, as a kubelet", async () => {
    const { agent } = await node({ topologyManagerPolicy: "single-numa-node" });
    await running(agent, user("a", 2));
    await agent.apply(user("b", 3));
    const metrics = await agent.api.metrics("/metrics");
    const counts = (metrics?.body ?? "")
      .split("\n")
      .filter((line) => /^kubelet_(topology_manager_admission_(req|err)|container_al)/.test(line));
    expect(counts.sort()).toEqual([
      'kubelet_container_aligned_compute_resources_count{scope="container",boundary="numa_node"} 1',
      'kubelet_container_aligned_compute_resources_failure_count{scope="container",boundary="numa_node"} 1',
      "kubelet_topology_manager_admission_errors_total 1",
      "kubelet_topology_manager_admission_requests_total 2",
    ]);
  });

  test("a machine with more than eight nodes supports no policy but none: the agent reports that and does not start", async () => {
    const starting = start({ topologyManagerPolicy: "restricted" }, { host: machineOf(9) });
    await expect(starting).rejects.toThrow(
      "topologyManagerPolicy restricted: expected at most 8 NUMA nodes, found 9; use none",
    );
  });
});
