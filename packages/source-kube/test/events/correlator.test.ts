import { expect, test } from "@jest/globals";
import type { Event } from "kubernetes-types/core/v1.js";
import { EventCorrelator } from "../../src/events/correlator.js";

let named = 0;
const event = (message: string, more: Partial<Event> = {}): Event => ({
  metadata: { name: `a.${++named}`, namespace: "default" },
  involvedObject: { kind: "Pod", name: "a", namespace: "default", uid: "u" },
  type: "Normal",
  reason: "Pulled",
  message,
  firstTimestamp: `t${named}`,
  ...more,
});

test("a repeat counts up the event that is there", () => {
  const correlator = new EventCorrelator();
  const first = correlator.take(event("x"), 0);
  const second = correlator.take(event("x"), 1_000);
  expect([first?.do, second?.do]).toEqual(["create", "update"]);
  expect(second?.event).toMatchObject({
    count: 2,
    metadata: { name: first?.event.metadata.name },
    firstTimestamp: first?.event.firstTimestamp,
  });
});

test("from the eleventh message of one reason within ten minutes they are told as one", () => {
  const correlator = new EventCorrelator();
  const told = Array.from({ length: 13 }, (_, i) => correlator.take(event(`m${i}`), i));
  expect(told.map((one) => one?.do)).toEqual([...Array<string>(11).fill("create"), "update", "update"]);
  expect(told[10]?.event.message).toBe("(combined from similar events): m10");
  expect(told[12]?.event).toMatchObject({ message: "(combined from similar events): m12", count: 3 });
});

test("a pause of more than ten minutes ends the combining", () => {
  const correlator = new EventCorrelator();
  for (let i = 0; i < 12; i++) correlator.take(event(`m${i}`), i);
  expect(correlator.take(event("later"), 700_000)?.event.message).toBe("later");
});

test("one object has 25 events at once, then one each five minutes; another object has its own", () => {
  const correlator = new EventCorrelator();
  const told = (at: number): boolean => correlator.take(event("x"), at) !== undefined;
  expect(Array.from({ length: 30 }, () => told(0)).filter(Boolean)).toHaveLength(25);
  expect([told(299_000), told(300_000), told(300_000)]).toEqual([false, true, false]);
  const other = event("x", { involvedObject: { kind: "Pod", name: "b", uid: "v" } });
  expect(correlator.take(other, 0)?.do).toBe("create");
});

test("what the API has lost is told anew", () => {
  const correlator = new EventCorrelator();
  const first = correlator.take(event("x"), 0);
  correlator.forget(first?.key ?? "");
  expect(correlator.take(event("x"), 1)?.do).toBe("create");
});

test("thousands of objects do not fill the memory", () => {
  const correlator = new EventCorrelator();
  for (let i = 0; i < 5_000; i++) {
    correlator.take(event("x", { involvedObject: { kind: "Pod", name: `p${i}`, uid: `u${i}` } }), i);
  }
  // The oldest are forgotten: theirs is a new event.
  expect(correlator.take(event("x", { involvedObject: { kind: "Pod", name: "p0", uid: "u0" } }), 6_000)?.do).toBe(
    "create",
  );
  expect(correlator.take(event("x", { involvedObject: { kind: "Pod", name: "p4999", uid: "u4999" } }), 6_000)?.do).toBe(
    "update",
  );
});
