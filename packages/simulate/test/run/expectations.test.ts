import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import type { SimulationRecord } from "../../src/records/record.js";
import { difference, type Inside, type Snapshot, subjectOf } from "../../src/run/expectations.js";
import type { Expectation } from "../../src/scenario/schema.js";

const web = {
  metadata: { name: "web", namespace: "default", uid: "u" },
  spec: { containers: [] },
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [{ name: "main", restartCount: 2, lastState: { terminated: { reason: "OOMKilled" } } }],
  },
} as unknown as Pod;
const event = (t: number, reason: string, message = ""): SimulationRecord => ({
  t,
  kind: "event",
  type: "Warning",
  reason,
  message,
  object: "pod/default/web",
  container: "main",
  count: 1,
});
const seen: Snapshot = {
  pods: [web],
  images: [{ id: "sha256:a", names: ["app:1", "app:latest"] }],
  devices: new Map([
    ["v.example/gpu/g0", "default/web"],
    ["v.example/gpu/g1", null],
  ]),
  conditions: new Map([["MemoryPressure", "False"]]),
  inside: new Map(),
  told: [event(1, "Unhealthy", "Liveness probe failed"), event(2, "Unhealthy", "Readiness probe failed")],
};

describe("what is as expected has no difference", () => {
  test.each([
    [{ pod: "web", phase: "Running", ready: true, restarts: 2, reason: "OOMKilled" }],
    [{ pod: "default/web" }],
    [{ pod: "other", exists: false }],
    [{ event: "Unhealthy", count: 2 }],
    [{ event: "Unhealthy", pod: "web", container: "main", message: "Liveness", count: 1 }],
    [{ event: "Evicted", count: 0 }],
    [{ event: "Evicted", max: 3 }],
    [{ image: "app:1" }],
    [{ image: "app" }],
    [{ image: "sha256:a", present: true }],
    [{ image: "db:1", present: false }],
    [{ device: "g0", holder: "web" }],
    [{ device: "g1", resource: "v.example/gpu", holder: null }],
    [{ condition: "MemoryPressure", status: "False" }],
  ] as const)("%j", (expected) => {
    expect(difference(expected as never, seen)).toBeUndefined();
  });
});

describe("what is not says what was expected and what was found", () => {
  test.each([
    [
      { pod: "web", phase: "Failed", ready: false },
      "expected phase Failed, found Running; expected ready false, found true",
    ],
    [{ pod: "web", restarts: 0 }, "expected restarts 0, found 2"],
    [{ pod: "web", reason: "Evicted" }, "expected reason Evicted, found OOMKilled"],
    [{ pod: "wbe" }, "expected a pod, found none (there are default/web)"],
    [{ pod: "web", exists: false }, "expected no such pod, found one in phase Running"],
    [{ event: "Unhealthy", count: 3 }, "expected 3 such events, found 2 (reasons there were: Unhealthy)"],
    [{ event: "Killing" }, "expected at least 1 such event, found 0 (reasons there were: Unhealthy)"],
    [{ event: "Unhealthy", max: 1 }, "expected at most 1 such event, found 2 (reasons there were: Unhealthy)"],
    [{ decision: "evicted" }, "expected at least 1 such decision, found 0 (there were 0 in all)"],
    [{ image: "db:1" }, "expected it on the node, found it gone (images: app:1)"],
    [{ image: "app:1", present: false }, "expected it removed, found it there (images: app:1)"],
    [{ device: "g0", holder: null }, "expected nobody to hold it, found default/web"],
    [{ device: "g9", holder: "web" }, "expected a device, found none of this id"],
    [{ condition: "MemoryPressure" }, "expected True, found False"],
    [{ condition: "Ready" }, "expected True, found none (there are MemoryPressure)"],
  ] as const)("%j", (expected, text) => {
    expect(difference(expected as never, seen)).toBe(text);
  });
});

test.each([
  [{ pod: "web" }, "pod web"],
  [{ event: "Killing", pod: "web" }, "event Killing of pod web"],
  [{ image: "a:1" }, "image a:1"],
  [{ condition: "DiskPressure" }, "condition DiskPressure"],
])("%j is called %s", (expected, text) => {
  expect(subjectOf(expected as never)).toBe(text);
});

describe("what a container has", () => {
  const look = (expected: Expectation, inside: Inside): string | undefined =>
    difference(expected, { ...seen, inside: new Map([[expected, inside]]) });

  test.each([
    ["a value that is the expected one", { env: "A", value: "1" }, "1"],
    ["any value, where none is told", { env: "A" }, "1"],
    ["no value", { env: "A", value: null }, null],
    ["an empty file", { file: "/a", content: "" }, ""],
    ["no file", { file: "/a", content: null }, null],
  ] as const)("%s is no difference", (_, expected, found) => {
    expect(look({ pod: "web", ...expected } as Expectation, { found })).toBeUndefined();
  });

  test.each([
    ["another value", { env: "A", value: "1" }, { found: "2" }, 'expected "1", found "2"'],
    ["none", { env: "A" }, { found: null }, "expected one, found none"],
    ["one where none should be", { file: "/a", content: null }, { found: "x" }, 'expected none, found "x"'],
    ["a container that is not there", { file: "/a" }, { why: "no container" }, "no container"],
    [
      "a pod that is otherwise as well",
      { env: "A", restarts: 9 },
      { found: null },
      "expected restarts 9, found 2; expected one, found none",
    ],
  ] as const)("%s is told", (_, expected, inside, text) => {
    expect(look({ pod: "web", ...expected } as Expectation, inside)).toBe(text);
  });

  const many = "0123456789".repeat(30);

  test.each([
    {
      name: "that differ late are told from shortly before it",
      wanted: `${many}x`,
      found: `${many}y`,
      said: 'expected …"01234567890123456789x", found …"01234567890123456789y"',
    },
    {
      name: "of which one goes on are told with its end",
      wanted: many,
      found: `${many}y`,
      said: 'expected …"01234567890123456789", found …"01234567890123456789y"',
    },
    {
      name: "that differ early are told from the beginning, and that they go on",
      wanted: `x${many}`,
      found: `y${many}`,
      said: `expected ${JSON.stringify(`x${many}`.slice(0, 200))}…, found ${JSON.stringify(`y${many}`.slice(0, 200))}…`,
    },
    {
      name: "one of which is not there are told from the beginning",
      wanted: many,
      found: null,
      said: `expected ${JSON.stringify(many.slice(0, 200))}…, found none`,
    },
  ])("long texts $name", ({ wanted, found, said }) => {
    expect(look({ pod: "web", file: "/a", content: wanted } as Expectation, { found })).toBe(said);
  });

  test.each([
    [{ pod: "web", env: "A" }, "pod web, variable A"],
    [{ pod: "web", file: "/a" }, "pod web, file /a"],
  ])("%j is called %s", (expected, text) => {
    expect(subjectOf(expected as Expectation)).toBe(text);
  });
});
