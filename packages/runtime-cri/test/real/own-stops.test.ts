/** What containerd says of sandboxes. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import type { EventPorts } from "../../src/events/hub.js";
import { containerdEvents } from "../../src/events/sources.js";
import { Known } from "../../src/known.js";

/** One sandbox; `ends` is its pause container's end, as containerd tells it. */
function containerd() {
  const here = { isReady: true, fails: false, looks: 0, recorded: [] as string[] };
  const clock = new VirtualClock();
  const known = new Known();
  known.set("sandbox", { podUid: "pod" });
  let data: (message: object) => void = () => undefined;
  const client = {
    stream: (_: string, __: object, on: { data: typeof data }) => {
      data = on.data;
      return () => undefined;
    },
    taskEvent: () => ({ containerId: "sandbox" }),
  };
  const calls = {
    call: async () => {
      here.looks += 1;
      if (here.fails) throw new Error("no status");
      return { status: { state: here.isReady ? "SANDBOX_READY" : "SANDBOX_NOTREADY" } };
    },
  };
  containerdEvents({ clock, client, calls, known } as unknown as EventPorts, {
    event: ({ podUid, type }) => here.recorded.push(`${podUid} ${type}`),
    gap: () => here.recorded.push("look at everything"),
    away: (error) => here.recorded.push(`away: ${String(error)}`),
    back: () => here.recorded.push("back"),
    problem: (error) => here.recorded.push(String(error)),
  });
  const says = (topic: string) => data({ topic, event: { value: Buffer.alloc(0) } });
  return { here, clock, known, starts: () => says("/tasks/start"), ends: () => says("/tasks/delete") };
}

test("the start of a sandbox whose creation is not answered yet causes no event and no call", async () => {
  const { here, clock, known, starts } = containerd();
  known.forget("sandbox");
  starts();
  await clock.advance(10_000);
  expect(here).toMatchObject({ looks: 0, recorded: [] });
  known.set("sandbox", { podUid: "pod" });
  starts();
  await clock.advance(1);
  expect(here).toMatchObject({ looks: 0, recorded: ["pod CONTAINER_STARTED"] });
});

test.each([
  { name: "answered, without a look", failure: undefined, looks: 0 },
  { name: "failed, after a look", failure: new Error("no"), looks: 1 },
])("the end is reported once the agent's own stop has $name", async ({ failure, looks }) => {
  const { here, clock, known, ends } = containerd();
  let answer: () => void = () => undefined;
  const call = new Promise<void>((resolve, reject) => {
    answer = () => (failure === undefined ? resolve() : reject(failure));
  });
  const stop = known.stops("sandbox", call).catch((error: unknown) => error);
  ends();
  await clock.advance(10_000);
  expect(here).toMatchObject({ looks: 0, recorded: [] });
  here.isReady = false;
  answer();
  await clock.advance(1);
  expect([await stop, here.looks, here.recorded]).toEqual([failure, looks, ["pod CONTAINER_STOPPED"]]);
  expect(await known.stopped("sandbox")).toBe(false);
});

test("the end of a container that was not stopped is polled at once, until the CRI knows it", async () => {
  const { here, clock, ends } = containerd();
  ends();
  await clock.advance(3);
  expect([here.looks, here.recorded]).toEqual([2, []]);
  here.isReady = false;
  await clock.advance(10);
  expect(here.recorded).toEqual(["pod CONTAINER_STOPPED"]);
});

test("an end without a readable status is reported, and a relist follows: the next regular one is minutes away", async () => {
  const { here, clock, ends } = containerd();
  here.fails = true;
  ends();
  await clock.advance(10_000);
  expect(here).toMatchObject({ looks: 1, recorded: ["Error: no status", "look at everything"] });
});
