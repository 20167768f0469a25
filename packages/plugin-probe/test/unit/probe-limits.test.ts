import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { ProbeLimits } from "../../src/probe-limits.js";

let clock: VirtualClock;
let reports: string[];
let limits: ProbeLimits;
/** What has begun, and what ends it. */
let begun: [name: string, release: () => void][];
beforeEach(() => {
  clock = new VirtualClock();
  reports = [];
  begun = [];
  limits = new ProbeLimits(clock, { maxConcurrent: { exec: 1, http: 2, tcp: 1, grpc: 1 } }, (text) =>
    reports.push(text),
  );
});
const take = (handler: Parameters<ProbeLimits["take"]>[0], name: string): void =>
  limits.take(handler, (release) => begun.push([name, release]));
const names = (): readonly string[] => begun.map(([name]) => name);
const end = (name: string): void => begun.find(([one]) => one === name)?.[1]();

test("as many as are free begin at once; the others in the order of their coming, as slots become free", () => {
  for (const name of ["a", "b", "c", "d"]) take("http", name);
  expect([names(), limits.waiting()]).toEqual([["a", "b"], "2 http probes wait for their turn"]);
  end("b");
  expect([names(), limits.waiting()]).toEqual([["a", "b", "c"], "1 http probes wait for their turn"]);
  end("a");
  end("c");
  end("d");
  expect([names(), limits.waiting()]).toEqual([["a", "b", "c", "d"], undefined]);
  for (const name of ["e", "f"]) take("http", name);
  expect(names().slice(4)).toEqual(["e", "f"]);
});

test("each handler has its own slots, and a probe without a handler needs none", () => {
  for (const name of ["a", "b"]) take("exec", name);
  for (const name of ["c", "d"]) take("tcp", name);
  for (const name of ["e", "f"]) take("none", name);
  end("e");
  expect(names()).toEqual(["a", "c", "e", "f"]);
  expect(limits.waiting()).toBe("1 exec probes wait for their turn, 1 tcp probes wait for their turn");
});

test("that probes wait is reported once a minute for each handler", async () => {
  const text = (handler: string, count: number, most: number) =>
    `${handler} probes have to wait (${count} now): at most ${most} at a time; they run late. Raise maxConcurrent.${handler}, or probe less often.`;
  take("http", "a");
  take("http", "b");
  expect(reports).toEqual([]);
  take("http", "c");
  take("exec", "d");
  take("exec", "e");
  await clock.advance(59_999);
  take("http", "f");
  expect(reports).toEqual([text("http", 1, 2), text("exec", 1, 1)]);
  await clock.advance(1);
  take("http", "g");
  expect(reports.slice(2)).toEqual([text("http", 3, 2)]);
});

test("those that wait when it stops do not begin any more", () => {
  for (const name of ["a", "b"]) take("exec", name);
  limits.stop();
  end("a");
  expect([names(), limits.waiting()]).toEqual([["a"], undefined]);
});
