/** Calls that real helper processes make: what becomes of them when one is slow, silent or gone. */
import { VirtualClock } from "@hooklet/testkit";
import { systemClock } from "@hooklet/utils";
import { afterEach, expect, test } from "@jest/globals";
import { HelperPool } from "../../../src/processes/helper-pool.js";

const open: HelperPool[] = [];
const module = new URL("./crashing-helper.mjs", import.meta.url);
const serving = { module: new URL("./serving-helper.mjs", import.meta.url) };

function pool(options: object = {}): HelperPool {
  const one = new HelperPool({ clock: systemClock, module, ...options });
  open.push(one);
  return one;
}

afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

test("an operation's answer comes back; without one it is null", async () => {
  const helpers = pool(serving);
  expect(await helpers.call("echo", { a: [1] }, "/a")).toEqual({ a: [1] });
  expect(await helpers.call("echo", undefined, "/a")).toBeNull();
});

test("an error comes with its name, message and code", async () => {
  const helpers = pool(serving);
  await expect(helpers.call("throw", 0, "/a")).rejects.toMatchObject({ name: "TypeError", message: "no", code: "EX" });
  const error = await helpers.call("throwText", 0, "/a").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "Error", message: "a text" });
  expect(error).not.toHaveProperty("code", expect.anything());
});

test("an operation that reports its progress may take longer than the deadline", async () => {
  expect(await pool({ ...serving, deadline: 1_500 }).call("long", 7, "/a")).toBe(7);
});

test("an operation that the helper does not have is an error", async () => {
  await expect(pool(serving).call("none", 0, "/a")).rejects.toThrow("helper process: no operation none");
});

test("a helper that ends before it answers fails its call alone", async () => {
  const helpers = pool();
  await expect(helpers.call("exit", 3, "/data/a")).rejects.toMatchObject({
    message: expect.stringContaining("The helper process that looked at /data/a ended before it answered"),
  });
  expect(await helpers.call("echo", 1, "/data/a")).toBe(1);
});

test("a path that does not answer in time is not asked again until the pause is over", async () => {
  const helpers = pool({ deadline: 300, quiet: 60_000 });
  await expect(helpers.call("wait", 5_000, "/hung/a")).rejects.toThrow(
    "The file system of /hung/a does not answer: expected an answer within 0.3 s",
  );
  await expect(helpers.call("echo", 1, "/hung/a")).rejects.toThrow(
    "The file system of /hung/a does not answer: it is not asked again yet",
  );
  expect(await helpers.call("echo", 1, "/well/a")).toBe(1);
});

test("closed: waiting calls and later ones fail", async () => {
  const helpers = pool();
  const waiting = helpers.call("wait", 60_000, "/a");
  waiting.catch(() => undefined);
  await helpers.call("echo", 1, "/b");
  helpers.close();
  await expect(waiting).rejects.toThrow(/ended before it answered|no longer started/);
  await expect(helpers.call("echo", 1, "/a")).rejects.toThrow(
    "Helper processes are no longer started: the agent stops",
  );
});

test("a helper that does not start fails the call", async () => {
  const helpers = pool({ module: new URL("./there-is-none.mjs", import.meta.url) });
  await expect(helpers.call("echo", 1, "/a")).rejects.toThrow(
    "A helper process, which looks at volumes in the agent's place, could not be started",
  );
});

test("a helper that says nothing at its start is given up by the clock", async () => {
  const clock = new VirtualClock();
  const helpers = pool({ clock, module: new URL("./silent-helper.mjs", import.meta.url) });
  const call = helpers.call("echo", 1, "/a");
  call.catch(() => undefined);
  await clock.advance(60_000);
  await expect(call).rejects.toThrow("could not be started");
});
