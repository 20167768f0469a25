import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { Answers } from "../../../src/node/guard.js";

const HELD = 10_000;

function answers() {
  const clock = new VirtualClock();
  const known = new Answers<string>(clock);
  let asked = 0;
  const ask = (answer: () => Promise<string> = async () => `answer ${asked}`): Promise<string> =>
    known.get(
      "key",
      () => {
        asked += 1;
        return answer();
      },
      () => HELD,
    );
  return { clock, ask, asked: () => asked };
}

test("an answer holds for its cache time, then the question is asked again", async () => {
  const { clock, ask } = answers();
  expect(await ask()).toBe("answer 1");
  await clock.advance(HELD - 1);
  expect(await ask()).toBe("answer 1");
  await clock.advance(1);
  expect(await ask()).toBe("answer 2");
});

test("while an answer is under way all wait for the same one", async () => {
  const { ask, asked } = answers();
  expect(await Promise.all([ask(), ask()])).toEqual(["answer 1", "answer 1"]);
  expect(asked()).toBe(1);
});

test("a question that failed is asked again", async () => {
  const { ask } = answers();
  await expect(ask(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await ask()).toBe("answer 2");
});

test("of more than 4096 answers the oldest is forgotten; one that was given again is not the oldest", async () => {
  const clock = new VirtualClock();
  const known = new Answers<string>(clock);
  const asked: string[] = [];
  const ask = (key: string): Promise<string> =>
    known.get(
      key,
      async () => {
        asked.push(key);
        return key;
      },
      () => HELD,
    );
  await ask("again");
  await ask("oldest");
  await clock.advance(HELD);
  await ask("again");
  for (let at = 0; at < 4_095; at += 1) await ask(`${at}`);
  asked.length = 0;
  for (const key of ["again", "0", "4094", "oldest"]) await ask(key);
  expect(asked).toEqual(["oldest"]);
});
