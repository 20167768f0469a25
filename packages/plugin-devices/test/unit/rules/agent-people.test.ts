/** What people see: why this device, what would come of a pod. */
import { describe, expect, test } from "@jest/globals";
import { device, devices, GPU } from "../../devices.js";
import { rows, running, start, user } from "../agent/story.js";

describe("strategies, and why", () => {
  test("one of the rc file chooses, and explain lists its candidates", async () => {
    const { agent, io } = await start({ allocation: "spread" });
    await io.plug(GPU, [device("a", [0]), device("b", [0]), device("c", [1])]);
    await running(agent, user("x", 2));
    expect(await rows(agent)).toEqual(["a Healthy x main", "b Healthy", "c Healthy x main"]);
    const [decision] = agent.api.explain("pod", "x").filter(({ plugin }) => plugin.includes("devices"));
    expect(decision).toMatchObject({ strategy: "spread", outcome: `${GPU}: a, c` });
    expect(decision?.considered.map(({ candidate, verdict, why }) => [candidate, verdict, why])).toEqual([
      [`device/${GPU}/a`, "taken", "NUMA node 0"],
      [`device/${GPU}/c`, "taken", "NUMA node 1"],
      [`device/${GPU}/b`, "free", "NUMA node 0"],
    ]);
    expect((await agent.api.explainNow("device", "c")).map(({ outcome }) => outcome)).toEqual([
      "held by container main of pod default/x",
    ]);
    const ofPod = (await agent.api.explainNow("pod", "x")).filter(({ plugin }) => plugin !== "core");
    expect(ofPod.map(({ outcome }) => outcome)).toEqual(["2 devices held"]);
  });

  test("plan shows what a pod would get, and allocates nothing", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    const manifest = (count: number): string =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "x" },
        spec: { containers: [{ name: "c", image: "app:1", resources: { limits: { [GPU]: count } } }] },
      });
    const outcomes = async (count: number) =>
      (await agent.api.plan("devices", { manifest: manifest(count), arguments: {} })).map(({ outcome }) => outcome);
    expect(await outcomes(1)).toEqual([`${GPU}: gpu-0`, "would be admitted"]);
    expect(await outcomes(3)).toEqual([
      `would be rejected: UnexpectedAdmissionError: Allocate failed due to requested number of devices unavailable for ${GPU}. Requested: 3, Available: 2, which is unexpected`,
    ]);
    expect(await rows(agent)).toEqual(["gpu-0 Healthy", "gpu-1 Healthy"]);
  });

  test("a strategy that breaks the rules is named in an event of the pod and in the decision, and the kubelet's choice is taken", async () => {
    const { agent, io } = await start({ allocation: "own" }, {}, () => ["gpu-1", "gpu-1"]);
    await io.plug(GPU, devices(3));
    await running(agent, user("x", 2));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy x main", "gpu-1 Healthy x main", "gpu-2 Healthy"]);
    const reported = agent.events().filter(({ reason }) => reason === "AllocationStrategyFailed");
    expect(reported.map(({ type, message, involvedObject }) => [type, involvedObject.name, message])).toEqual([
      ["Warning", "x", `allocation strategy "own" chose "gpu-1" twice (${GPU}): the kubelet's choice was taken`],
    ]);
    expect(agent.log).toContainEqual(expect.objectContaining({ level: 50, strategy: "own" }));
    const [decision] = agent.api.explain("pod", "x").filter(({ plugin }) => plugin.includes("devices"));
    expect(decision?.outcome).toBe(
      `${GPU}: gpu-0, gpu-1; the strategy chose "gpu-1" twice, so the kubelet's choice was taken`,
    );
  });
});
