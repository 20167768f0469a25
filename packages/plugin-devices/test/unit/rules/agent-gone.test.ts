/** Device plugins that go for good. */
import { describe, expect, test } from "@jest/globals";
import { devices, GPU } from "../../devices.js";
import { start } from "../agent/story.js";

describe("plugins that go", () => {
  test("their devices count for five minutes, then the node keeps the resource with 0", async () => {
    const { agent, io } = await start();
    const plugin = await io.plug(GPU, devices(2));
    plugin.gone();
    const amounts = async () => {
      const { capacity, allocatable } = await agent.api.node();
      return [capacity[GPU], allocatable[GPU]];
    };
    expect(await amounts()).toEqual([2, 0]);
    await agent.advance(299_000);
    expect(await amounts()).toEqual([2, 0]);
    await agent.advance(12_000);
    expect(await amounts()).toEqual([0, 0]);
  });
});
