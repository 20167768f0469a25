import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { tcpProbe } from "../../../src/handlers/attempt.js";

test.each([-1, 65_536])("port %i is none: the probe fails at once, as Go dials nothing for it", async (port) => {
  const clock = new VirtualClock();
  expect(await tcpProbe(clock, { host: "127.0.0.1", port, timeoutMilliseconds: 1_000 })).toEqual({
    result: "failure",
    output: `dial tcp: address ${port}: invalid port`,
  });
  expect(clock.pending).toBe(0);
});
