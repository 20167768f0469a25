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
/** Resolves once those that can have begun. */
async function take(handler: Parameters<ProbeLimits["take"]>[0], ...names: readonly string[]): Promise<void> {
  for (const name of names) void limits.take(handler).then((release) => begun.push([name, release]));
  await clock.settle();
}
const names = (): readonly string[] => begun.map(([name]) => name);
async function end(name: string): Promise<void> {
  begun.find(([one]) => one === name)?.[1]();
  await clock.settle();
}

test("as many as are free begin at once; the others in the order of their coming, as slots become free", async () => {
  await take("http", "a", "b", "c", "d");
  expect([names(), limits.waiting()]).toEqual([["a", "b"], "2 http probes wait for their turn"]);
  await end("b");
  expect([names(), limits.waiting()]).toEqual([["a", "b", "c"], "1 http probes wait for their turn"]);
  await end("a");
  await end("c");
  await end("d");
  expect([names(), limits.waiting()]).toEqual([["a", "b", "c", "d"], undefined]);
  await take("http", "e", "f");
  expect(names().slice(4)).toEqual(["e", "f"]);
});

test("each handler has its own slots, and a probe without a handler needs none", async () => {
  await take("exec", "a", "b");
  await take("tcp", "c", "d");
  await take("none", "e", "f");
  await end("e");
  expect(names()).toEqual(["a", "c", "e", "f"]);
  expect(limits.waiting()).toBe("1 exec probes wait for their turn, 1 tcp probes wait for their turn");
});

test("that probes wait is reported once a minute for each handler", async () => {
  const text = (handler: string, count: number, most: number) =>
    `${handler} probes have to wait (${count} now): at most ${most} at a time; they run late. Raise maxConcurrent.${handler}, or probe less often.`;
  await take("http", "a", "b");
  expect(reports).toEqual([]);
  await take("http", "c");
  await take("exec", "d", "e");
  await clock.advance(59_999);
  await take("http", "f");
  expect(reports).toEqual([text("http", 1, 2), text("exec", 1, 1)]);
  await clock.advance(1);
  await take("http", "g");
  expect(reports.slice(2)).toEqual([text("http", 3, 2)]);
});

test("those that wait when it stops do not begin any more", async () => {
  await take("exec", "a", "b");
  limits.stop();
  await end("a");
  expect([names(), limits.waiting()]).toEqual([["a"], undefined]);
});
