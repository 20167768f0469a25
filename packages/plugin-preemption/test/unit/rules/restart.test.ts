import { expect, test } from "@jest/globals";
import { type Agent, phase, run, startNode, stubborn, warnings } from "../node.js";
import { burstable, critical } from "../pods.js";

/** Three victims are needed and would die one after the other, each after its grace period; a fourth pod is spared. */
async function halfway(): Promise<Agent> {
  const agent = await startNode({ cpu: "4" });
  for (const name of ["a", "b", "c", "spared"]) stubborn(agent, name);
  const grace = { spec: { terminationGracePeriodSeconds: 20 } };
  await run(
    agent,
    burstable("spared", { cpu: "700m" }, grace),
    ...["a", "b", "c"].map((name) => burstable(name, { cpu: "1100m" }, grace)),
  );
  await agent.apply(critical("crit", { cpu: "3300m" }));
  return agent;
}

/** The agent goes so many seconds after the choice: before, between and after the kills. */
test.each([0, 1, 19, 21, 35, 45, 59, 61])(
  "an agent that goes %d s into the kills goes on with the same victims",
  async (seconds) => {
    const agent = await halfway();
    await agent.advance(seconds * 1000);
    await agent.restart(() => agent.advance(500));
    await agent.waitFor(() => phase(agent, "crit") === "Running");
    await agent.advance(60_000);
    expect(["a", "b", "c", "spared"].map((name) => phase(agent, name))).toEqual([
      "Failed",
      "Failed",
      "Failed",
      "Running",
    ]);
    expect(["a", "b", "c", "spared"].map((name) => agent.runtime.running(name))).toEqual([[], [], [], ["main"]]);
    expect(agent.pod("a").status?.reason).toBe("Preempting");
  },
);

test("a pod that was deleted during the restart costs no further victim", async () => {
  const agent = await halfway();
  await agent.advance(5_000);
  await agent.restart(() => agent.delete("crit"));
  await agent.advance(120_000);
  const phases = ["a", "b", "c", "spared"].map((name) => phase(agent, name));
  expect(phases.filter((one) => one === "Failed")).toHaveLength(1);
  expect(warnings(agent, "spared")).toEqual([]);
});

test("what a dying victim gives back is kept for the critical pod, though others wait as well", async () => {
  const agent = await halfway();
  await agent.apply(burstable("late", { cpu: "500m" }));
  await agent.advance(30_000);
  await agent.restart();
  await agent.waitFor(() => phase(agent, "crit") === "Running");
  expect(phase(agent, "spared")).toBe("Running");
  expect(agent.pod("late").status?.reason).toBe("OutOfcpu");
});
