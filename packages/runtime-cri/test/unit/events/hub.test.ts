/** One source for all who listen. */
import { expect, test } from "@jest/globals";
import { EventHub, type EventListener } from "../../../src/events/hub.js";

function hub() {
  const opened: EventListener[] = [];
  const reports: string[] = [];
  let closed = 0;
  const source = (_ports: unknown, listener: EventListener) => {
    opened.push(listener);
    return () => void closed++;
  };
  const report = {
    away: () => void reports.push("away"),
    back: () => void reports.push("back"),
    problem: (error: unknown) => void reports.push(String(error)),
  };
  return { hub: new EventHub(source, {} as never, report), opened, reports, closed: () => closed };
}
const event = { podUid: "u", containerId: "c", type: "CONTAINER_STARTED" } as const;

test("the source is open while there is a listener, and opened again for the next one", () => {
  const { hub: all, opened, closed } = hub();
  const [first, second] = [all.subscribe(() => undefined), all.subscribe(() => undefined)];
  expect([opened.length, closed()]).toEqual([1, 0]);
  first();
  expect(closed()).toBe(0);
  second();
  expect(closed()).toBe(1);
  all.close();
  expect(closed()).toBe(1);
  all.subscribe(() => undefined);
  expect(opened.length).toBe(2);
});

test("each listener has each event and each gap; one that fails is a problem of its own", () => {
  const { hub: all, opened, reports } = hub();
  const seen: unknown[] = [];
  all.subscribe(() => {
    throw new Error("broken");
  });
  all.subscribe(
    (one) => seen.push(one),
    () => seen.push("gap"),
  );
  const [source] = opened;
  source?.event(event);
  source?.gap();
  source?.away(new Error("x"));
  source?.back();
  expect(seen).toEqual([event, "gap"]);
  expect(reports).toEqual(["Error: a listener failed: broken", "away", "back"]);
});
