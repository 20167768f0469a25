import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../testkit/src/virtual-clock.js";
import { Deaths } from "../../../src/agent/deaths.js";
import { Probation } from "../../../src/pod/life/probation.js";
import { aPod } from "../pods.js";

const wanted = (name: string) => ({ source: "folder", pod: aPod({}, { name, uid: name }) });

test("after a kill over several pods each of them is handled, those with fewer deaths first", async () => {
  const deaths = new Deaths({
    checkpoint: { read: async () => ({ b: { count: 1, error: "x" } }), write: async () => {} },
    underWay: { wellNow: [], well: () => {}, close: () => {} },
    report: () => {},
  });
  await deaths.load();
  const taken: string[] = [];
  const probation = new Probation({
    clock: new VirtualClock(),
    fatal: deaths,
    take: async ({ pod }) => {
      taken.push(pod.metadata.uid);
      return { rest: Promise.resolve() };
    },
    report: () => {},
  });
  await probation.add(["b", "a", "c"].map(wanted));
  expect(taken).toEqual(["a", "c", "b"]);
});
