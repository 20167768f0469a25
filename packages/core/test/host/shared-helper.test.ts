/** One process for many calls: what becomes of them when it ends. */
import { afterEach, expect, test } from "@jest/globals";
import { systemClock } from "../../src/clock.js";
import { SharedHelper } from "../../src/host/shared-helper.js";

const deaths: { readonly how: string; readonly keys: readonly string[] }[] = [];
const open: SharedHelper[] = [];

function helper(): SharedHelper {
  const one = new SharedHelper({
    clock: systemClock,
    module: new URL("./crashing-helper.mjs", import.meta.url),
    heap: 64,
    onDeath: (how, keys) => deaths.push({ how, keys }),
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
  const slow = shared.call("wait", 200, "slow", 60_000);
  const order: unknown[] = [];
  await Promise.all([
    slow.then((value) => order.push(value)),
    ...[1, 2, 3].map((value) => shared.call("echo", value, "quick", 60_000).then((got) => order.push(got))),
  ]);
  expect(order).toEqual([1, 2, 3, 200]);
});

test("what is thrown there comes with name and code", async () => {
  await expect(helper().call("throw", 0, "a", 60_000)).rejects.toMatchObject({
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
    await shared.call("echo", 0, "before", 60_000);
    const waiting = shared.call("wait", 600_000, "innocent", 60_000);
    const killer = shared.call(end, 0, "killer", 60_000);
    for (const call of [waiting, killer]) {
      await expect(call).rejects.toMatchObject({
        code: "HOST_UNAVAILABLE",
        message: expect.stringContaining(`ended (${how})`),
      });
    }
    expect(deaths).toEqual([{ how, keys: ["innocent", "killer"] }]);
    await expect(shared.call("echo", "again", "innocent", 60_000)).resolves.toBe("again");
  },
);

test("a process whose loop stands still is ended after the call's time", async () => {
  const shared = helper();
  await shared.call("echo", 0, "a", 60_000);
  await expect(shared.call("spin", 0, "a", 300)).rejects.toMatchObject({
    message: expect.stringContaining("said nothing for 0.3 s"),
  });
  await expect(shared.call("echo", "again", "a", 60_000)).resolves.toBe("again");
});

test("a closed one ends its process, and starts none any more", async () => {
  const shared = helper();
  await shared.call("echo", 0, "a", 60_000);
  const waiting = shared.call("wait", 600_000, "a", 60_000);
  shared.close();
  await expect(waiting).rejects.toMatchObject({ code: "HOST_UNAVAILABLE" });
  await expect(shared.call("echo", 0, "a", 60_000)).rejects.toMatchObject({ code: "HOST_UNAVAILABLE" });
  expect(deaths).toEqual([]);
});
