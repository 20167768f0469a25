import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { FakeAgent } from "../../../../server/test/fake-agent.js";
import { aPod } from "../../../../server/test/samples.js";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { LastLineReader, lastLogLinesInside } from "../../../src/run/last-log-lines.js";

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

test("a container that ended once more for another reason, or at another time, is read again; also one that starts the pod", async () => {
  const { asked, look } = reader(() => ["boom"]);
  const at = (kind: string, state: object) =>
    aPod("web", {
      status: { [kind]: [{ name: "main", ready: false, restartCount: 1, image: "", imageID: "", ...state }] },
    });
  const ended = (second: number) => ({ exitCode: 1, reason: "Error", finishedAt: `2026-11-21T10:00:0${second}Z` });
  const waits = { state: { waiting: { reason: "CrashLoopBackOff" } } };
  const pods = [
    at("containerStatuses", { state: { terminated: ended(1) } }),
    at("containerStatuses", { state: { terminated: ended(2) } }),
    at("containerStatuses", { ...waits, lastState: { terminated: ended(2) } }),
    at("containerStatuses", { ...waits, lastState: { terminated: ended(3) } }),
    at("initContainerStatuses", { state: { terminated: ended(4) } }),
    at("initContainerStatuses", { state: { terminated: ended(5) } }),
  ];
  const reads: number[] = [];
  for (const pod of pods) {
    await look(pod);
    reads.push(asked.length);
  }
  expect(reads).toEqual([1, 2, 3, 4, 5, 6]);
});

test("within the agent the last lines are those of the current log or of the previous one; without either there are none", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "hooklet-lines-"));
  try {
    const api = new FakeAgent();
    const pod = aPod("web");
    api.list = [pod];
    const file = path.join(folder, "log");
    writeFileSync(file, Array.from({ length: 100 }, (_, n) => `line ${n}\n`).join(""));
    api.logFile = { path: file, format: "raw", ended: () => true };
    const read = lastLogLinesInside(api, new VirtualClock());
    const trouble = { container: "main", why: "exit code 1" };
    expect(await read(pod.metadata, { ...trouble, log: "current" }, 2)).toEqual(["line 98", "line 99"]);
    expect(await read(pod.metadata, { ...trouble, log: "previous" }, 1)).toEqual(["line 99"]);
    expect(await read(pod.metadata, trouble, 1)).toEqual([]);
    expect(await read(pod.metadata, { why: "Evicted", log: "current" }, 1)).toEqual([]);
    expect(api.calls).toEqual([
      ["log", "main", { previous: false }],
      ["log", "main", { previous: true }],
    ]);
    api.logFile = { ...api.logFile, path: path.join(folder, "gone") };
    expect(await read({ ...pod.metadata, name: "gone" }, { ...trouble, log: "current" }, 1)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
