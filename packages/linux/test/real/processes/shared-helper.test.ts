/** One process for many calls: what becomes of them when it ends. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@hooklet/utils";
import { afterEach, expect, test } from "@jest/globals";
import { SharedHelper } from "../../../src/processes/shared-helper.js";

const deaths: string[] = [];
const open: SharedHelper[] = [];

function helper(): SharedHelper {
  const one = new SharedHelper({
    clock: systemClock,
    module: new URL("./crashing-helper.mjs", import.meta.url),
    heap: 64,
    onDeath: (how) => void deaths.push(how),
  });
  open.push(one);
  return one;
}

afterEach(() => {
  for (const one of open.splice(0)) one.close();
  deaths.length = 0;
});

test("calls are made at the same time, and each has its own answer", async () => {
  const shared = helper();
  const slow = shared.call("wait", 200, 60_000);
  const order: unknown[] = [];
  await Promise.all([
    slow.then((value) => order.push(value)),
    ...[1, 2, 3].map((value) => shared.call("echo", value, 60_000).then((got) => order.push(got))),
  ]);
  expect(order).toEqual([1, 2, 3, 200]);
});

test("a helper is in a process group of its own: a Ctrl-C of the terminal does not end it", async () => {
  const [, own] = readFileSync("/proc/self/stat", "utf8").split(") ");
  expect(await helper().call("group", 0, 60_000)).not.toBe(Number(own?.split(" ")[2]));
});

test("what is thrown there comes with name and code", async () => {
  await expect(helper().call("throw", 0, 60_000)).rejects.toMatchObject({
    name: "TypeError",
    message: "no",
    code: "EX",
  });
});

test.each([
  { end: "abort", how: "SIGABRT" },
  { end: "exit", how: "exit code 3" },
])(
  "a process that ends by $end costs the calls that were under way; the next one has a new process",
  async ({ end, how }) => {
    const shared = helper();
    await shared.call("echo", 0, 60_000);
    const waiting = shared.call("wait", 600_000, 60_000);
    const killer = shared.call(end, 0, 60_000);
    for (const call of [waiting, killer]) {
      await expect(call).rejects.toMatchObject({
        code: "HOST_UNAVAILABLE",
        message: expect.stringContaining(`ended (${how})`),
      });
    }
    expect(deaths).toEqual([how]);
    await expect(shared.call("echo", "again", 60_000)).resolves.toBe("again");
  },
);

test("a process whose loop stands still is ended after the call's time", async () => {
  const shared = helper();
  await shared.call("echo", 0, 60_000);
  await expect(shared.call("spin", 0, 300)).rejects.toMatchObject({
    message: expect.stringContaining("silent for 0.3 s"),
  });
  expect(deaths).toEqual(["it was silent for 0.3 s"]);
  await expect(shared.call("echo", "again", 60_000)).resolves.toBe("again");
});

test("an end without calls under way is reported too", async () => {
  const shared = helper();
  await shared.call("abort-later", 0, 60_000);
  while (deaths.length === 0) await pause(10);
  expect(deaths).toEqual(["SIGABRT"]);
});

test("a closed one ends its process, and starts none any more", async () => {
  const shared = helper();
  await shared.call("echo", 0, 60_000);
  const waiting = shared.call("wait", 600_000, 60_000);
  shared.close();
  await expect(waiting).rejects.toMatchObject({ code: "HOST_UNAVAILABLE" });
  await expect(shared.call("echo", 0, 60_000)).rejects.toMatchObject({ code: "HOST_UNAVAILABLE" });
  expect(deaths).toEqual([]);
});
