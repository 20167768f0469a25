import { expect, test } from "@jest/globals";
import type { Outcome } from "../../../src/run/outcome.js";
import { printer } from "../../../src/subprocess/output.js";

const HOSTILE = "\u001b]0;mine\u0007\u009b2J\u202e";

test("text of pods in another user's scenario does not steer the terminal", () => {
  let written = "";
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const print = printer("events", { write });
  print.record({
    kind: "event",
    t: 0,
    object: "pod/default/web",
    type: "Warning",
    reason: "Unhealthy",
    message: `Readiness probe failed: ${HOSTILE}`,
    count: 1,
    source: "kubelet",
  } as never);
  print.end("theirs.yaml", {
    figures: {},
    final: { pods: [], images: [], devices: [] },
    until: 1,
    failedSteps: [],
    faults: [],
    expectations: [
      { failure: { path: "expect[0]", t: 0, what: `pod ${HOSTILE}`, difference: `expected ${HOSTILE}\nfound x` } },
    ],
  } as unknown as Outcome);
  expect(written).toContain("Readiness probe failed: ^[]0;mine^G");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(written).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
});
