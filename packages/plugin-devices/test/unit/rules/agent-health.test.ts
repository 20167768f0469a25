/** Devices that fall ill under a running pod. */
import { describe, expect, jest, test } from "@jest/globals";
import { PodDevices } from "../../../src/device/pod-devices.js";
import { device, devices, GPU } from "../../devices.js";
import { phase, rows, running, runs, start, user } from "../agent/story.js";

describe("health", () => {
  test("is in the pod's status, and changes with the plugin's reports", async () => {
    const { agent, io } = await start();
    const plugin = await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    const status = () =>
      agent.pod("a").status?.containerStatuses?.[0] as { allocatedResourcesStatus?: unknown } | undefined;
    expect(status()?.allocatedResourcesStatus).toEqual([
      { name: GPU, resources: [{ resourceID: "gpu-0", health: "Healthy" }] },
    ]);
    plugin.report([device("gpu-0", [], "Unhealthy"), device("gpu-1")]);
    await agent.advance(10);
    expect(status()?.allocatedResourcesStatus).toEqual([
      { name: GPU, resources: [{ resourceID: "gpu-0", health: "Unhealthy" }] },
    ]);
  });

  test.each(["a", "b"])("pod %s throws when its health is shown: the other pod's health is shown", async (name) => {
    const { agent, io } = await start();
    const plugin = await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    await running(agent, user("b", 1));
    const uid = agent.pod(name).metadata.uid;
    const real = PodDevices.prototype.ofContainer;
    const spy = jest.spyOn(PodDevices.prototype, "ofContainer").mockImplementation(function (
      this: PodDevices,
      pod,
      container,
    ) {
      if (pod === uid) throw new Error("this pod throws");
      return real.call(this, pod, container);
    });
    plugin.report([device("gpu-0", [], "Unhealthy"), device("gpu-1", [], "Unhealthy")]);
    await agent.advance(10);
    spy.mockRestore();
    const shown = ["a", "b"].filter((one) =>
      JSON.stringify(agent.pod(one).status?.containerStatuses).includes("Unhealthy"),
    );
    expect(shown).toEqual(["a", "b"].filter((one) => one !== name));
  });

  test("onUnhealthy none: the container continues", async () => {
    const { agent, io } = await start();
    const plugin = await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    plugin.report([device("gpu-0", [], "Unhealthy"), device("gpu-1")]);
    await agent.advance(60_000);
    expect(agent.pod("a").status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  test("onUnhealthy restart: the container is started again with another device", async () => {
    const { agent, io } = await start({ onUnhealthy: "restart" });
    const plugin = await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    plugin.report([device("gpu-0", [], "Unhealthy"), device("gpu-1")]);
    await agent.waitFor(() => agent.pod("a").status?.containerStatuses?.[0]?.restartCount === 1 && runs(agent, "a"));
    expect(await rows(agent)).toEqual(["gpu-0 Unhealthy", "gpu-1 Healthy a main"]);
  });

  test("onUnhealthy restart, and no other device: the container waits until there is a healthy one", async () => {
    const { agent, io } = await start({ onUnhealthy: "restart" });
    const plugin = await io.plug(GPU, devices(1));
    await running(agent, user("a", 1));
    const state = () => agent.pod("a").status?.containerStatuses?.[0]?.state;
    plugin.report([device("gpu-0", [], "Unhealthy")]);
    await agent.waitFor(() => state()?.waiting !== undefined && (state()?.waiting?.message ?? "") !== "");
    expect(state()?.waiting?.message).toContain(`no healthy devices present; cannot allocate unhealthy devices ${GPU}`);
    plugin.report([device("gpu-0")]);
    await agent.waitFor(() => state()?.running !== undefined);
    expect(await rows(agent)).toEqual(["gpu-0 Healthy a main"]);
  });

  test("onUnhealthy evict: the pod is evicted, with the reason", async () => {
    const { agent, io } = await start({ onUnhealthy: "evict" });
    const plugin = await io.plug(GPU, devices(1));
    await running(agent, user("a", 1));
    plugin.report([device("gpu-0", [], "Unhealthy")]);
    await agent.waitFor(() => phase(agent, "a") === "Failed");
    expect(agent.pod("a").status).toMatchObject({
      reason: "DeviceUnhealthy",
      message: `Device gpu-0 of ${GPU} is unhealthy`,
    });
  });
});
