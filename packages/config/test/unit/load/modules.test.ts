import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { withinLoadTime } from "../../../src/load/modules.js";

test("a module whose top level never ends is given up after 30 s", async () => {
  const clock = new VirtualClock();
  const loaded = withinLoadTime(clock, new Promise(() => {})).catch((error: Error) => error.message);
  await clock.advance(30_000);
  expect(await loaded).toBe("its top level was expected to end within 30 s and is still busy");
});
