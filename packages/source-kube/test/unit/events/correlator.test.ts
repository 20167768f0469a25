import { expect, test } from "@jest/globals";
import type { Event } from "kubernetes-types/core/v1.js";
import { EventCorrelator } from "../../../src/events/correlator.js";

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

test("from the tenth message of one reason within ten minutes they are combined", () => {
  const correlator = new EventCorrelator();
  const reported = Array.from({ length: 13 }, (_, i) => correlator.take(event(`m${i}`), i));
  expect(reported.map((one) => one?.do)).toEqual([...Array<string>(10).fill("create"), "update", "update", "update"]);
  expect(reported[8]?.event.message).toBe("m8");
  expect(reported[9]?.event.message).toBe("(combined from similar events): m9");
  expect(reported[12]?.event).toMatchObject({ message: "(combined from similar events): m12", count: 4 });
});

test("a pause of more than ten minutes ends the combining", () => {
  const correlator = new EventCorrelator();
  for (let i = 0; i < 12; i++) correlator.take(event(`m${i}`), i);
  expect(correlator.take(event("later"), 700_000)?.event.message).toBe("later");
});

test("one object has 25 events at once, then one each five minutes; another object has its own", () => {
  const correlator = new EventCorrelator();
  const reported = (at: number): boolean => correlator.take(event("x"), at) !== undefined;
  expect(Array.from({ length: 30 }, () => reported(0)).filter(Boolean)).toHaveLength(25);
  expect([reported(299_000), reported(300_000), reported(300_000)]).toEqual([false, true, false]);
  const other = event("x", { involvedObject: { kind: "Pod", name: "b", uid: "v" } });
  expect(correlator.take(other, 0)?.do).toBe("create");
});

test("25 are a pod's, whichever of its containers they are of; warnings have their own 25", () => {
  const correlator = new EventCorrelator();
  const take = (type: string, i: number) => {
    const involvedObject = { ...event("").involvedObject, fieldPath: `spec.containers{c${i % 10}}` };
    return correlator.take(event("x", { type, involvedObject, reason: `r${i}` }), 0);
  };
  for (const type of ["Normal", "Warning"]) {
    const reported = Array.from({ length: 30 }, (_, i) => take(type, i));
    expect(reported.filter(Boolean)).toHaveLength(25);
  }
});

test("messages of several containers of a pod are combined, and the same one of two containers is two events", () => {
  const correlator = new EventCorrelator();
  const take = (name: string, message: string) => {
    const involvedObject = { ...event("").involvedObject, fieldPath: `spec.containers{${name}}` };
    return correlator.take(event(message, { involvedObject }), 0);
  };
  expect([take("a", "m0")?.do, take("b", "m0")?.do]).toEqual(["create", "create"]);
  const more = Array.from({ length: 9 }, (_, i) => take(i % 2 === 0 ? "a" : "b", `m${i + 1}`)?.event.message);
  expect(more.at(-2)).toBe("m8");
  expect(more.at(-1)).toBe("(combined from similar events): m9");
});

test("repeats that are dropped are counted all the same", () => {
  const correlator = new EventCorrelator();
  for (let i = 0; i < 60; i++) correlator.take(event("x"), 0);
  expect(correlator.take(event("x"), 300_000)).toMatchObject({ do: "update", event: { count: 61 } });
});

test("an event that the API has lost is created again", () => {
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
