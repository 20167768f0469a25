import { expect, test } from "@jest/globals";
import { Listeners } from "../../src/listeners.js";

test("each listener hears everything until it is ended; one function may listen twice", () => {
  const heard: unknown[] = [];
  const listeners = new Listeners<[number, string]>(() => undefined);
  const listen = (...args: [number, string]): void => void heard.push(args);
  const ends = [listeners.add(listen), listeners.add(listen)];
  listeners.tell(1, "a");
  ends[0]?.();
  ends[0]?.();
  listeners.tell(2, "b");
  expect(heard).toEqual([
    [1, "a"],
    [1, "a"],
    [2, "b"],
  ]);
  expect(listeners.size).toBe(1);
  ends[1]?.();
  listeners.tell(3, "c");
  expect([heard.length, listeners.size]).toEqual([3, 0]);
});

test("an error of one reaches neither the others nor the caller", () => {
  const failures: unknown[] = [];
  const heard: string[] = [];
  const listeners = new Listeners<[string]>((error) => failures.push(error));
  const error = new Error("no");
  listeners.add(() => {
    throw error;
  });
  listeners.add((text) => heard.push(text));
  listeners.tell("a");
  expect([failures, heard]).toEqual([[error], ["a"]]);
});
