/** Devices of pods that are on their way out: not given to another pod before the last container is gone; new pods wait for them. */
import type { Pod } from "@hooklet/core";
import type { SourceSink } from "@hooklet/core/host";
import { describe, expect, test } from "@jest/globals";
import { devices, GPU } from "../../devices.js";
import { phase, rows, running, start, user } from "../agent/story.js";

/** It ignores TERM, so that its end takes the whole grace period of 30 s. */
const stubborn = (name: string, spec: object = {}): Pod => user(name, 1, { command: ["ignore-term"] }, spec);
const waiting = (holder: string, which = "that are still ending") => ({
  phase: "Pending",
  reason: "WaitingForDevices",
  message: `its devices are held by pods ${which}: default/${holder}`,
});

describe("a pod whose device is held by a pod that is ending", () => {
  test("waits, names the holder, and runs once that one is gone", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(1));
    await running(agent, stubborn("old"));
    await agent.delete("old");
    await agent.apply(user("new", 1));
    await agent.advance(5_000);
    expect(agent.pod("new").status).toMatchObject(waiting("old"));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy old main"]);
    await agent.waitFor(() => phase(agent, "new") === "Running", 40_000);
    expect(await rows(agent)).toEqual(["gpu-0 Healthy new main"]);
  });

  test("waits as well for one that has failed and whose container still runs", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(1));
    await running(agent, stubborn("late", { activeDeadlineSeconds: 10 }));
    await agent.waitFor(() => phase(agent, "late") === "Failed");
    await agent.apply(user("new", 1));
    // The node is swept every 10 s: the device stays where its container is.
    await agent.advance(15_000);
    expect(agent.runtime.running(agent.pod("late").metadata.uid)).toEqual(["main"]);
    expect(await rows(agent)).toEqual(["gpu-0 Healthy late main"]);
    expect(agent.pod("new").status).toMatchObject(waiting("late"));
    await agent.waitFor(() => phase(agent, "new") === "Running", 40_000);
  });

  test("waits for one whose manifest went away while no agent was there", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(1));
    await running(agent, stubborn("orphan"));
    await agent.restart(async () => {
      await agent.delete("orphan");
      await agent.apply(user("new", 1));
    });
    await io.plug(GPU, devices(1));
    await agent.advance(5_000);
    expect(agent.pod("new").status).toMatchObject(waiting("orphan"));
    await agent.waitFor(() => phase(agent, "new") === "Running", 40_000);
    expect(await rows(agent)).toEqual(["gpu-0 Healthy new main"]);
  });

  test("waits for one of a source that has not spoken since the agent's start, and is refused once that one stays", async () => {
    let sink: SourceSink | undefined;
    const served = user("served", 1);
    const source = {
      name: "server",
      async start(to: SourceSink) {
        sink = to;
      },
      stop: async () => {},
    };
    const { agent, io } = await start({}, { sources: [source] });
    await io.plug(GPU, devices(1));
    sink?.desired([served]);
    await agent.waitFor(() => agent.api.pods().some(({ status }) => status?.phase === "Running"));
    await agent.restart();
    await io.plug(GPU, devices(1));
    await agent.apply(user("new", 1));
    await agent.advance(5_000);
    expect(agent.pod("new").status).toMatchObject(
      waiting("served", "of which no source has spoken since the agent's start"),
    );
    sink?.desired([served]);
    await agent.waitFor(() => phase(agent, "new") === "Failed", 5_000);
    expect(agent.pod("new").status?.reason).toBe("UnexpectedAdmissionError");
    expect(phase(agent, "served")).toBe("Running");
  });
});

describe("is refused at once, with the kubelet's words", () => {
  test.each([
    { name: "a pod that asks for more than there would be", gpus: 3, available: 1 },
    { name: "a pod that needs devices which no ending pod holds", gpus: 2, available: 1, holderStays: true },
  ])("$name", async ({ gpus, available, holderStays = false }) => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    await running(agent, stubborn("old"));
    if (!holderStays) await agent.delete("old");
    await agent.apply(user("new", gpus));
    expect(agent.pod("new").status).toMatchObject({
      phase: "Failed",
      reason: "UnexpectedAdmissionError",
      message: `Pod was rejected: Allocate failed due to requested number of devices unavailable for ${GPU}. Requested: ${gpus}, Available: ${available}, which is unexpected`,
    });
  });

  test("a pod whose plugin fails: waiting for others would not help it", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    await running(agent, stubborn("old"));
    await agent.delete("old");
    await io.plug(GPU, devices(2), { allocate: () => Promise.reject(new Error("boom")) });
    await agent.apply(user("new", 1));
    expect(agent.pod("new").status?.message).toBe("Pod was rejected: Allocate failed due to boom, which is unexpected");
  });
});
