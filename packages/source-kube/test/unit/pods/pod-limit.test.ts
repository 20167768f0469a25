import { expect, test } from "@jest/globals";
import type { ApiPod } from "../../../src/pods/api-pod.js";
import { PodLimit } from "../../../src/pods/pod-limit.js";

const pod = (uid: string, bytes = 0): ApiPod =>
  ({
    metadata: { name: uid, namespace: "default", uid, annotations: { text: "x".repeat(bytes) } },
    spec: { containers: [] },
  }) as never;

test("pods of an endless API server are counted in all, and reported once", () => {
  const recorded: string[] = [];
  const room = new PodLimit((message) => void recorded.push(message));
  const taken = Array.from({ length: 10_010 }, (_, index) => room.take(pod(`u${index}`)));
  expect(taken.filter(Boolean)).toHaveLength(10_000);
  expect(recorded).toHaveLength(1);
  expect(room.take(pod("u5", 10))).toBe(true);
  room.leave("u1");
  expect(room.take(pod("late"))).toBe(true);
  room.clear();
  expect(room.take(pod("again"))).toBe(true);
});

test("their bytes are counted in all", () => {
  const room = new PodLimit(() => undefined);
  const taken = Array.from({ length: 100 }, (_, index) => room.take(pod(`u${index}`, 1024 * 1024)));
  expect(taken.filter(Boolean)).toHaveLength(63);
});
