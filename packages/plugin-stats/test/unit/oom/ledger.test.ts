import { beforeEach, expect, test } from "@jest/globals";
import { OomLedger } from "../../../src/oom/ledger.js";

const key = { uid: "u", container: "main" };
let ledger: OomLedger;
beforeEach(() => {
  ledger = new OomLedger();
});

test("a container of which nothing is known has no kills, and none to report", () => {
  ledger.counted(key, "a", 0);
  expect([ledger.total(key), ledger.tell(key, "a")]).toEqual([0, 0]);
});

test("the counter of a cgroup does not go back, whatever is read", () => {
  for (const kills of [2, 0, 1]) ledger.counted(key, "a", kills);
  expect(ledger.total(key)).toBe(2);
});

test("of two ways to count the one that saw more is right", () => {
  for (let kill = 0; kill < 3; kill++) ledger.logged(key, "a");
  ledger.counted(key, "a", 2);
  expect(ledger.total(key)).toBe(3);
  ledger.counted(key, "a", 5);
  expect(ledger.total(key)).toBe(5);
});

test("an attempt that the runtime calls killed has one kill at least", () => {
  ledger.counted(key, "a", 4);
  ledger.died(key, "a");
  ledger.died(key, "b");
  expect(ledger.total(key)).toBe(5);
});

test("each kill is reported once, by its attempt", () => {
  ledger.counted(key, "a", 2);
  ledger.counted(key, "b", 1);
  expect([ledger.tell(key, "a"), ledger.tell(key, "a"), ledger.tell(key, "b")]).toEqual([2, 0, 1]);
  ledger.logged(key, "a");
  ledger.counted(key, "a", 3);
  expect(ledger.tell(key, "a")).toBe(1);
});

test("containers and pods are counted by themselves", () => {
  ledger.died(key, "a");
  ledger.died({ ...key, container: "second" }, "b");
  ledger.died({ ...key, uid: "v" }, "c");
  ledger.forget("v");
  expect(["main", "second"].map((container) => ledger.total({ uid: "u", container }))).toEqual([1, 1]);
  expect(ledger.total({ ...key, uid: "v" })).toBe(0);
});

test("the last four attempts are known by themselves; of those before only the sum", () => {
  for (const id of ["a", "b", "c", "d"]) ledger.died(key, id);
  expect(ledger.tell(key, "a")).toBe(1);
  ledger.logged(key, "e");
  ledger.logged(key, "e");
  expect(ledger.total(key)).toBe(6);
  expect(["a", "b", "c", "d", "e"].map((id) => ledger.tell(key, id))).toEqual([0, 1, 1, 1, 2]);
});
