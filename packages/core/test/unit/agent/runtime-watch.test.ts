import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { RuntimeWatch } from "../../../src/agent/runtime-watch.js";

const AWAY = "container runtime is down: no answer within 5 s";

/** The events while the runtime answers as given, one after the other; the last one lasts. */
async function watched(answers: readonly (string | undefined)[], seconds: number) {
  const clock = new VirtualClock();
  const said: string[] = [];
  let asked = 0;
  const watch = new RuntimeWatch({
    clock,
    nodeName: "node1",
    events: { node: (type, reason, text) => void said.push(`${type} ${reason}: ${text}`) },
    ask: async () => {
      const message = answers[Math.min(asked++, answers.length - 1)];
      if (message === undefined) return { ok: true };
      return message === "" ? { ok: false } : { ok: false, message };
    },
  });
  watch.start();
  await clock.advance(seconds * 1_000);
  watch.stop();
  await clock.advance(60_000);
  return { said, asked };
}

const DOWN = [`Warning NodeNotReady: Node node1 status is now: NodeNotReady: ${AWAY}`];
const UP = ["Normal NodeReady: Node node1 status is now: NodeReady"];

test.each<[string, readonly (string | undefined)[], number, readonly string[]]>([
  ["is well", [undefined], 60, []],
  ["is late once", [AWAY, undefined], 60, []],
  ["is away", [AWAY], 10, DOWN],
  ["stays away: it is said once", [AWAY], 60, DOWN],
  ["is back", [AWAY, AWAY, AWAY, undefined], 60, [...DOWN, ...UP]],
])("a runtime that %s", async (_name, answers, seconds, said) => {
  expect((await watched(answers, seconds)).said).toEqual(said);
});

test("it is asked every 10 s, and no more after the stop", async () => {
  expect((await watched([undefined], 60)).asked).toBe(6);
});

test("it is said why it is away, or that no reason is known", async () => {
  expect((await watched([""], 10)).said).toEqual([
    "Warning NodeNotReady: Node node1 status is now: NodeNotReady: no reason given",
  ]);
});

test.each([true, false])("an answer (%j) that comes after the stop changes nothing", async (ok) => {
  const clock = new VirtualClock();
  const said: string[] = [];
  let answer: (part: { ok: boolean }) => void = () => undefined;
  let asked = 0;
  const watch = new RuntimeWatch({
    clock,
    nodeName: "node1",
    events: { node: (_, reason) => void said.push(reason) },
    ask: () => {
      asked++;
      return new Promise((resolve) => (answer = resolve));
    },
  });
  watch.start();
  await clock.advance(10_000);
  watch.stop();
  answer({ ok });
  await clock.advance(60_000);
  expect([asked, said, clock.pending]).toEqual([1, [], 0]);
});
