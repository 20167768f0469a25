/** The agent goes and comes; pods run on. */
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { devices, GPU } from "../../devices.js";
import { phase, rows, running, runs, start, user } from "../agent/story.js";

describe("a restart of the agent", () => {
  test("pods that run keep their devices while their plugin is away, and when it is back", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    await agent.restart();
    expect(runs(agent, "a")).toBe(true);
    expect(await rows(agent)).toEqual(["gpu-0 Unknown a main"]);
    await io.plug(GPU, devices(2));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy a main", "gpu-1 Healthy"]);
  });

  test("a pod whose plugin is not back yet waits, others do not, and it runs as soon as the plugin is there", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(1));
    await agent.restart();
    await agent.apply(user("late", 1));
    expect(agent.pod("late").status).toMatchObject({ phase: "Pending", reason: "WaitingForDevicePlugin" });
    await running(agent, aPod({ name: "other" }));
    await agent.advance(10_000);
    await io.plug(GPU, devices(1));
    await agent.waitFor(() => runs(agent, "late"), 3_000);
  });

  test("it waits no longer than waitForPlugins, and is then refused as by a kubelet", async () => {
    const { agent, io } = await start({ waitForPlugins: "5s" });
    await io.plug(GPU, devices(1));
    await agent.restart();
    await agent.apply(user("late", 1));
    await agent.waitFor(() => phase(agent, "late") === "Failed", 7_000);
    expect(agent.pod("late").status?.message).toBe(
      `Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices ${GPU}, which is unexpected`,
    );
  });

  test("a damaged checkpoint is moved aside with an event; the annotations of running containers have their devices", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    await agent.restart(() => {
      io.checkpoint = "rubbish";
    });
    expect(io.setAsideTexts).toEqual(["rubbish"]);
    expect(agent.events().map(({ reason }) => reason)).toContain("DeviceCheckpointCorrupt");
    await io.plug(GPU, devices(2));
    await running(agent, user("b", 1));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy a main", "gpu-1 Healthy b main"]);
  });

  test("no checkpoint: as after a first start, but for what runs", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    await agent.restart(() => {
      io.checkpoint = undefined;
    });
    await io.plug(GPU, devices(2));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy a main", "gpu-1 Healthy"]);
  });
});
