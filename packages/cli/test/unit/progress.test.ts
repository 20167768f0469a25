import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../sim/src/clock/virtual-clock.js";
import { Progress, progressText } from "../../src/progress.js";

test.each([
  ["of what nothing is known", undefined, "x: 12 s"],
  ["in words", "at 1m of virtual time", "x: at 1m of virtual time, 12 s"],
  ["in steps, with what is left", { done: 3, of: 8, what: "runs" }, "x: 3 of 8 runs, 12 s, about 20 s left"],
  ["before the first step", { done: 0, of: 8, what: "runs" }, "x: 0 of 8 runs, 12 s"],
])("progress %s", (_, far, text) => expect(progressText("x", far, 12)).toBe(text));

function terminal(isTTY: boolean) {
  const clock = new VirtualClock();
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  let written = "";
  stderr.on("data", (data: Buffer) => {
    written += data.toString();
  });
  return { io: { stderr, clock }, clock, written: () => written };
}

test("nothing is printed for two seconds; then there is a line, which is gone at the end", async () => {
  const { io, clock, written } = terminal(true);
  let end = (_: string): void => undefined;
  const done = new Progress(io, "Importing web:1").during(new Promise<string>((resolve) => (end = resolve)));
  await clock.advance(1_900);
  expect(written()).toBe("");
  await clock.advance(1_200);
  expect(written()).toContain("Importing web:1: 3 s");
  end("id");
  expect(await done).toBe("id");
  expect(written().endsWith("\r\u001b[K")).toBe(true);
  expect(clock.pending).toBe(0);
});

test("without a terminal nothing is printed", async () => {
  const { io, clock, written } = terminal(false);
  const done = new Progress(io, "x").during(new Promise<void>((resolve) => void clock.schedule(9_000, resolve)));
  await clock.advance(9_000);
  await done;
  expect(written()).toBe("");
});
