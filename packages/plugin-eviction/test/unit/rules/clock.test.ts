/** The machine's clock is set while the node is short: pods go as they would have gone. */
import { describe, expect, test } from "@jest/globals";
import { condition, phase, phases } from "../node.js";
import { memory } from "../pods.js";
import { threePods } from "../three-pods.js";

const HOUR = 3_600_000;

describe.each([
  { name: "set back by an hour", by: -HOUR },
  { name: "set forward by a day", by: 24 * HOUR },
])("a clock that is $name", ({ by }) => {
  test("delays no eviction by more than a round", async () => {
    const { agent, reported } = await threePods();
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    agent.clock.jump(by);
    await agent.waitFor(() => phase(agent, "small") === "Failed", 20_000);
    expect(phase(agent, "modest")).toBe("Running");
  });

  test("cuts no grace period short, and no transition period", async () => {
    const soft = { evictionSoft: { "memory.available": "1Gi" }, evictionSoftGracePeriod: { "memory.available": "2m" } };
    const { agent, reported } = await threePods({ options: { ...soft, evictionPressureTransitionPeriod: "1m" } });
    reported.set(memory("500Mi"));
    await agent.advance(30_000);
    agent.clock.jump(by);
    await agent.advance(80_000);
    expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 60_000);
    reported.calm();
    agent.clock.jump(by);
    await agent.advance(30_000);
    expect((await condition(agent, "MemoryPressure"))?.status).toBe("True");
    await agent.advance(60_000);
    expect((await condition(agent, "MemoryPressure"))?.status).toBe("False");
  });
});
