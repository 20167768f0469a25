import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { Waiting } from "../../../src/commands/waiting.js";

async function said(names: readonly string[], runs: number, step: (waiting: Waiting) => void): Promise<string> {
  const clock = new VirtualClock();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
  let written = "";
  stderr.on("data", (data: Buffer) => {
    written += data.toString();
  });
  const waiting = new Waiting({ io: { stderr, clock } as never }, names, runs);
  const over = waiting.during(new Promise<void>((resolve) => void clock.schedule(2_500, resolve)));
  step(waiting);
  await clock.advance(2_500);
  await over;
  return written;
}

test("of one run how far it is in virtual time, of several how many are over", async () => {
  expect(await said(["a.yaml"], 1, (waiting) => waiting.reached(90))).toContain(
    "Simulating a.yaml: at 1m30s of virtual time, 2 s",
  );
  expect(await said(["a.yaml", "b.yaml"], 4, (waiting) => waiting.one(0))).toContain(
    "Simulating 2 scenarios: 1 of 4 runs, 2 s, about 6 s left",
  );
});
