import { expect, test } from "@jest/globals";
import { Cleanup } from "../../../src/agent/cleanup.js";

test("what was started is stopped once, the last first; what fails is logged, and the rest is stopped", async () => {
  const log: string[] = [];
  const cleanup = new Cleanup({ error: (_: object, text: string) => log.push(text) } as never);
  cleanup.push(() => void log.push("first"));
  cleanup.push(() => Promise.reject(new Error("busy")));
  cleanup.push(async () => {
    await null;
    log.push("last");
  });
  const running = cleanup.run();
  expect(cleanup.run()).toBe(running);
  await running;
  await cleanup.run();
  expect(log).toEqual(["last", "stopping: busy", "first"]);
});
