import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import type { SimulationRecord } from "../../../src/records/record.js";
import { difference, type Inside, type Snapshot, subjectOf } from "../../../src/run/expectations.js";
import type { Expectation } from "../../../src/scenario/schema.js";

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
  records: [event(1, "Unhealthy", "Liveness probe failed"), event(2, "Unhealthy", "Readiness probe failed")],
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
    [{ device: "g0", holder: null }, "expected no pod to hold it, found default/web"],
    [{ device: "g9", holder: "web" }, "expected a device, found none of this id"],
    [{ condition: "MemoryPressure" }, "expected True, found False"],
    [{ condition: "Ready" }, "expected True, found none (there are MemoryPressure)"],
  ] as const)("%j", (expected, text) => {
    expect(difference(expected as never, seen)).toBe(text);
  });
});

describe("pods", () => {
  const podWith = (status: object): Snapshot => ({ ...seen, pods: [{ ...web, status } as unknown as Pod] });
  const terminated = { terminated: { reason: "Error" } };

  test.each([
    { name: "its own", status: { reason: "Evicted" }, reason: "Evicted" },
    {
      name: "what a container waits for",
      status: { containerStatuses: [{ state: { waiting: { reason: "CrashLoopBackOff" } } }] },
      reason: "CrashLoopBackOff",
    },
    { name: "how a container ended", status: { containerStatuses: [{ state: terminated }] }, reason: "Error" },
    { name: "how it ended before", status: { containerStatuses: [{ lastState: terminated }] }, reason: "Error" },
    {
      name: "how an init container ended",
      status: { initContainerStatuses: [{ state: terminated }] },
      reason: "Error",
    },
  ])("a reason is $name", ({ status, reason }) => {
    expect(difference({ pod: "web", reason } as Expectation, podWith(status))).toBeUndefined();
    expect(difference({ pod: "web", reason: "Other" } as Expectation, podWith(status))).toBe(
      `expected reason Other, found ${reason}`,
    );
  });

  test("reasons are shown once each; without one the message says so", () => {
    const twice = { reason: "", containerStatuses: [{ state: terminated, lastState: terminated }, {}] };
    expect(difference({ pod: "web", reason: "R" } as Expectation, podWith(twice))).toBe(
      "expected reason R, found Error",
    );
    expect(difference({ pod: "web", reason: "R" } as Expectation, podWith({}))).toBe("expected reason R, found none");
    expect(
      difference({ pod: "web", reason: "R" } as Expectation, {
        ...seen,
        pods: [{ ...web, status: undefined } as unknown as Pod],
      }),
    ).toBe("expected reason R, found none");
    const two = { reason: "Evicted", containerStatuses: [{ state: terminated }] };
    expect(difference({ pod: "web", reason: "R" } as Expectation, podWith(two))).toBe(
      "expected reason R, found Evicted, Error",
    );
  });

  test("a message is expected in part, and shown whole", () => {
    const status = { message: "The node was low on resource: memory." };
    expect(difference({ pod: "web", message: "low on" } as Expectation, podWith(status))).toBeUndefined();
    expect(difference({ pod: "web", message: "disk" } as Expectation, podWith(status))).toBe(
      'expected a message with "disk", found "The node was low on resource: memory."',
    );
    expect(difference({ pod: "web", message: "disk" } as Expectation, podWith({}))).toBe(
      'expected a message with "disk", found ""',
    );
  });

  test.each([
    { count: 0, text: "none" },
    { count: 20, text: Array.from({ length: 20 }, (_, index) => `default/p${index}`).join(", ") },
    { count: 21, text: `${Array.from({ length: 20 }, (_, index) => `default/p${index}`).join(", ")}, ...` },
  ])("of $count pods that there are the first twenty are named", ({ count, text }) => {
    const pods = Array.from({ length: count }, (_, index) => ({
      ...web,
      metadata: { ...web.metadata, name: `p${index}` },
    })) as unknown as Pod[];
    expect(difference({ pod: "x" } as Expectation, { ...seen, pods })).toBe(
      `expected a pod, found none (there are ${text})`,
    );
  });
});

describe("what was found", () => {
  const decision = (subject: string, outcome: string): SimulationRecord => ({
    t: 0,
    kind: "decision",
    plugin: "p",
    strategy: "s",
    subject,
    considered: [],
    outcome,
  });
  const decided = [
    decision("pod/default/web", "evicted: memory"),
    decision("container/default/web/main", "evicted too"),
    decision("pod/default/website", "evicted"),
    decision("container/default/website/main", "kept"),
    ...seen.records,
  ];
  const of = (expected: object, records: readonly SimulationRecord[] = decided) =>
    difference(expected as Expectation, { ...seen, records });

  test.each([
    { decision: "evicted", count: 3 },
    { decision: "evicted", pod: "web", count: 2 },
    { decision: "evicted", pod: "default/web", min: 2, max: 2 },
    { decision: "evicted", pod: "website", count: 1 },
    { decision: "memory", min: 1 },
    { decision: "kept" },
    { decision: "thrown", max: 0 },
  ])("%j has come true", (expected) => {
    expect(of(expected)).toBeUndefined();
  });

  test.each([
    [{ decision: "kept", pod: "web" }, "expected at least 1 such decision, found 0 (there were 4 in all)"],
    [{ decision: "evicted", min: 4 }, "expected at least 4 such decisions, found 3 (there were 4 in all)"],
    [{ decision: "evicted", min: 1, max: 2 }, "expected at most 2 such decisions, found 3 (there were 4 in all)"],
    [{ decision: "evicted", count: 0 }, "expected 0 such decisions, found 3 (there were 4 in all)"],
    [{ event: "Unhealthy", pod: "x", count: 1 }, "expected 1 such event, found 0 (reasons there were: Unhealthy)"],
    [{ event: "Unhealthy", container: "x" }, "expected at least 1 such event, found 0 (reasons there were: Unhealthy)"],
    [{ event: "Unhealthy", message: "x" }, "expected at least 1 such event, found 0 (reasons there were: Unhealthy)"],
  ])("%j has not: %s", (expected, text) => {
    expect(of(expected)).toBe(text);
  });

  test("reasons of events are shown in their order, once each, or that there was none", () => {
    expect(of({ event: "X" }, [event(1, "B"), event(2, "A"), event(3, "B")])).toBe(
      "expected at least 1 such event, found 0 (reasons there were: A, B)",
    );
    expect(of({ event: "X" }, [])).toBe("expected at least 1 such event, found 0 (reasons there were: none)");
  });
});

describe("images, devices, conditions", () => {
  test.each([
    [
      "an image by its digest has no tag",
      { image: "app@sha256:1" },
      "expected it on the node, found it gone (images: app:1)",
    ],
    ["an image of another tag is another one", { image: "app:2", present: false }, undefined],
    [
      "a device of another resource is another one",
      { device: "g0", resource: "v/x" },
      "expected a device, found none of this id",
    ],
    [
      "a device is not one whose name only ends in its own",
      { device: "0" },
      "expected a device, found none of this id",
    ],
    ["a device that is there, whoever holds it", { device: "g0" }, undefined],
    [
      "a device that another pod holds",
      { device: "g0", holder: "x" },
      "expected default/x to hold it, found default/web",
    ],
    ["a device that nobody holds", { device: "g1", holder: "other/x" }, "expected other/x to hold it, found no pod"],
    ["a device that nobody is to hold", { device: "g1", holder: null }, undefined],
  ] as const)("%s", (_, expected, text) => {
    expect(difference(expected as never, seen)).toBe(text);
  });

  test("an image without a name is shown by its id; without images the message says so", () => {
    const images = [{ id: "sha256:b", names: [] }];
    expect(difference({ image: "x" } as Expectation, { ...seen, images })).toMatch(/\(images: sha256:b\)$/);
    expect(difference({ image: "x" } as Expectation, { ...seen, images: [] })).toMatch(/\(images: none\)$/);
    const two = [...images, { id: "c", names: ["c:1", "c:2"] }];
    expect(difference({ image: "x" } as Expectation, { ...seen, images: two })).toMatch(/\(images: sha256:b, c:1\)$/);
  });

  test("of conditions those that exist are shown", () => {
    const conditions = new Map([
      ["A", "True"],
      ["B", "False"],
    ]);
    const of = (expected: object, of: ReadonlyMap<string, string>) =>
      difference(expected as Expectation, { ...seen, conditions: of });
    expect(of({ condition: "A" }, conditions)).toBeUndefined();
    expect(of({ condition: "X", status: "False" }, conditions)).toBe("expected False, found none (there are A, B)");
    expect(of({ condition: "X" }, new Map())).toBe("expected True, found none (there are none)");
  });
});

test.each([
  [{ decision: "evicted" }, 'decision "evicted"'],
  [{ decision: "evicted", pod: "web" }, 'decision "evicted" about pod web'],
  [{ event: "Killing" }, "event Killing"],
  [{ device: "g0" }, "device g0"],
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
    ["any value, where none is records", { env: "A" }, "1"],
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
  ] as const)("%s is shown", (_, expected, inside, text) => {
    expect(look({ pod: "web", ...expected } as Expectation, inside)).toBe(text);
  });

  const many = "0123456789".repeat(30);

  test.each([
    {
      name: "that differ late are records from shortly before it",
      wanted: `${many}x`,
      found: `${many}y`,
      said: 'expected …"01234567890123456789x", found …"01234567890123456789y"',
    },
    {
      name: "of which one goes on are records with its end",
      wanted: many,
      found: `${many}y`,
      said: 'expected …"01234567890123456789", found …"01234567890123456789y"',
    },
    {
      name: "that differ early are records from the beginning, and that they go on",
      wanted: `x${many}`,
      found: `y${many}`,
      said: `expected ${JSON.stringify(`x${many}`.slice(0, 200))}…, found ${JSON.stringify(`y${many}`.slice(0, 200))}…`,
    },
    {
      name: "one of which is not there are records from the beginning",
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
