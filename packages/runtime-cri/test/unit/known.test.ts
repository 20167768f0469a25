/** Whose an id is, and whether the agent's own stop of it is done. */
import { expect, test } from "@jest/globals";
import { Known } from "../../src/known.js";

test("a sandbox that is forgotten takes its containers with it, and no others", () => {
  const known = new Known();
  known.set("s1", { podUid: "p1" });
  known.set("s2", { podUid: "p2" });
  known.set("c1", { podUid: "p1", sandboxId: "s1" });
  known.set("c2", { podUid: "p2", sandboxId: "s2" });
  known.forgetSandbox("s1");
  expect(["s1", "c1", "s2", "c2"].map((id) => known.get(id))).toEqual([
    undefined,
    undefined,
    { podUid: "p2" },
    { podUid: "p2", sandboxId: "s2" },
  ]);
  known.forget("c2");
  expect([known.get("c2"), known.get("s2")]).toEqual([undefined, { podUid: "p2" }]);
});

/** A call whose end the test decides. */
function call() {
  let settle: (error?: Error) => void = () => undefined;
  const made = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { made, settle };
}

test.each([
  ["done", undefined, true],
  ["failed", new Error("away"), false],
])("all that wait for a stop that is %s learn so", async (_name, error, isDone) => {
  const known = new Known();
  const { made, settle } = call();
  const stop = known.stops("c", made);
  const waiting = known.stopped("c");
  settle(error);
  await (error === undefined ? stop : expect(stop).rejects.toBe(error));
  expect([await waiting, await known.stopped("c")]).toEqual([isDone, false]);
});

test("where nothing is being stopped there is nothing to wait for", async () => {
  const known = new Known();
  const { made, settle } = call();
  const other = known.stops("other", made);
  expect(await known.stopped("c")).toBe(false);
  settle();
  await other;
});

test("of two stops of the same thing the later one is waited for, also when the first is over", async () => {
  const known = new Known();
  const [first, second] = [call(), call()];
  const stops = [known.stops("c", first.made), known.stops("c", second.made)];
  first.settle();
  await stops[0];
  const waiting = known.stopped("c");
  second.settle();
  expect(await waiting).toBe(true);
  await stops[1];
});
