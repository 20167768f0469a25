/** Who ends the process that probes them is found, although it ends only after its answers. */
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Room, Suspects } from "../../src/handlers/suspects.js";

const PERIOD = 10_000;

/** Probes all once in each period; a culprit ends the process that it was probed from at the period's end. The deaths of each room. */
function live(
  suspects: Suspects,
  targets: readonly string[],
  culprits: ReadonlySet<string>,
  periods: number,
  from = 0,
) {
  const deaths: Room[] = [];
  for (let period = 0; period < periods; period++) {
    const now = from + period * PERIOD;
    const ended = new Set<Room>();
    for (const [at, target] of targets.entries()) {
      const room = suspects.place(target, now + at);
      suspects.answered(target, room, now + at);
      if (culprits.has(target)) ended.add(room);
    }
    for (const room of ended) {
      suspects.ended(room, now + PERIOD - 1);
      deaths.push(room);
    }
  }
  return deaths;
}

const found = (suspects: Suspects, targets: readonly string[], now: number) =>
  targets.filter((target) => suspects.place(target, now) === "found");

describe("one server among many that ends the process which probed it", () => {
  test("is alone after as many ends as the number can be halved, and then costs nobody else anything", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (count, choice) => {
        const targets = Array.from({ length: count }, (_, at) => `10.0.0.${at}:80`);
        const culprit = targets[choice % count] ?? "";
        const suspects = new Suspects();
        const halvings = Math.ceil(Math.log2(count)) + 1;
        live(suspects, targets, new Set([culprit]), halvings);
        const deaths = live(suspects, targets, new Set([culprit]), 20, halvings * PERIOD);
        expect(new Set(deaths)).toEqual(new Set(["found"]));
        expect(found(suspects, targets, (halvings + 20) * PERIOD)).toEqual([culprit]);
      }),
    );
  });

  test("all are like all others again ten minutes after the last end", () => {
    const suspects = new Suspects();
    const targets = ["a", "b", "c", "d"];
    live(suspects, targets, new Set(["b"]), 5);
    expect(targets.map((target) => suspects.place(target, 5 * PERIOD + 600_000))).toEqual(["all", "all", "all", "all"]);
  });
});

test("several are found one after the other", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), fc.infiniteStream(fc.nat()), (count, choices) => {
      const targets = Array.from({ length: count }, (_, at) => String(at));
      const culprits = new Set([1, 2].map(() => targets[(choices.next().value ?? 0) % count] ?? ""));
      const suspects = new Suspects();
      live(suspects, targets, culprits, 50);
      expect(found(suspects, targets, 50 * PERIOD).toSorted()).toEqual([...culprits].toSorted());
    }),
  );
});

test("who was not probed for two minutes is no suspect", () => {
  const suspects = new Suspects();
  suspects.answered("early", suspects.place("early", 0), 0);
  suspects.answered("late", suspects.place("late", 130_000), 130_000);
  expect(suspects.ended("all", 130_001)).toEqual(["late"]);
});
