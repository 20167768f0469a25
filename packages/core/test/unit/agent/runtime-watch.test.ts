import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { RuntimeWatch, type RuntimeWatchParts } from "../../../src/agent/runtime-watch.js";

const AWAY = "container runtime is down: no answer within 5 s";

/** What the log says, and the events, while the runtime answers as given, one after the other; the last one lasts. */
async function watched(answers: readonly (string | undefined)[], seconds: number) {
  const clock = new VirtualClock();
  const said: string[] = [];
  let asked = 0;
  const line = (level: string) => (text: string) => void said.push(`${level} ${text}`);
  const watch = new RuntimeWatch({
    clock,
    nodeName: "node1",
    log: { info: line("info"), error: line("error") },
    events: { node: (type: string, reason: string) => void said.push(`${type} ${reason}`) },
    ask: async () => {
      const message = answers[Math.min(asked++, answers.length - 1)];
      return message === undefined ? { ok: true } : { ok: false, message };
    },
  } as unknown as RuntimeWatchParts);
  watch.start();
  await clock.advance(seconds * 1_000);
  watch.stop();
  await clock.advance(60_000);
  return { said, asked };
}

const DOWN = [`error Node node1 status is now: NodeNotReady: ${AWAY}`, "Warning NodeNotReady"];
const UP = ["info Node node1 status is now: NodeReady", "Normal NodeReady"];

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
