import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { aPod } from "../../../../server/test/samples.js";
import { LastLineReader } from "../../../src/run/last-log-lines.js";

/** A pod whose container `main` has ended with an error `restarts` times. */
function crashing(name: string, restarts: number): Pod {
  const pod = aPod(name);
  const container = pod.spec.containers[0]?.name as string;
  const finishedAt = `2026-11-21T10:00:0${restarts}Z`;
  const ended = { exitCode: 1, reason: "Error", startedAt: "2026-11-21T10:00:00Z", finishedAt };
  const status = { name: container, restartCount: restarts, ready: false, image: "a", imageID: "b" };
  const containerStatuses = [{ ...status, state: { terminated: ended } }];
  return { ...pod, status: { ...pod.status, phase: "Running", containerStatuses } } as Pod;
}

function reader(answer: () => readonly string[]) {
  const asked: string[] = [];
  let changes = 0;
  const lines = new LastLineReader(
    async ({ name }, { log }, count) => {
      asked.push(`${name} ${log} ${count}`);
      return answer();
    },
    () => {
      changes += 1;
    },
  );
  const look = async (...pods: Pod[]): Promise<void> => {
    lines.look(pods);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { asked, lines, look, changes: () => changes };
}

test("the last line of a container in trouble is read once for each of its ends", async () => {
  let line = "no such table";
  const { asked, lines, look, changes } = reader(() => [line]);
  await look(crashing("web", 1), aPod("well"));
  await look(crashing("web", 1));
  expect([asked, [...lines.lines.values()], changes()]).toEqual([["web current 1"], ["no such table"], 1]);
  line = "no such file";
  await look(crashing("web", 2));
  expect([asked.length, [...lines.lines.values()], changes()]).toEqual([2, ["no such file"], 2]);
});

test("the same line again is no change; a container that wrote nothing has an empty line", async () => {
  const { look, changes } = reader(() => ["the same"]);
  await look(crashing("web", 1));
  await look(crashing("web", 2));
  expect(changes()).toBe(1);
  const silent = reader(() => []);
  await silent.look(crashing("web", 1));
  expect([[...silent.lines.lines.values()], silent.changes()]).toEqual([[""], 1]);
});

test("what is over is forgotten, and read again when it is back", async () => {
  const { asked, lines, look } = reader(() => ["boom"]);
  await look(crashing("web", 1), crashing("db", 1));
  expect(lines.lines.size).toBe(2);
  await look(crashing("db", 1));
  expect([...lines.lines.keys()].map((key) => key.startsWith(`${crashing("db", 1).metadata.uid}/`))).toEqual([true]);
  await look(crashing("web", 1), crashing("db", 1));
  expect(asked).toEqual(["web current 1", "db current 1", "web current 1"]);
});

test("a line that comes when its trouble is over is not shown", async () => {
  let give: (lines: readonly string[]) => void = () => undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    give = resolve;
  });
  const lines = new LastLineReader(
    () => late,
    () => {
      throw new Error("a change");
    },
  );
  lines.look([crashing("web", 1)]);
  lines.look([]);
  give(["too late"]);
  await late;
  await new Promise((resolve) => setImmediate(resolve));
  expect(lines.lines.size).toBe(0);
});
