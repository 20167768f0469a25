/** Events as the kubelet words them, and the decisions that explain shows: what is kept, and what counts as the same. */
import type { Pod } from "@hooklet/manifest";
import { VirtualClock } from "@hooklet/testkit";
import { rfc3339 } from "@hooklet/utils";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Event } from "kubernetes-types/core/v1.js";
import { DecisionLog, EventLog } from "../../../src/events/recorder.js";
import type { Decision } from "../../../src/plugin/contract.js";
import { aContainer, aPod } from "../../pod/pods.js";

let clock: VirtualClock;
let faults: string[];
const report = (where: string, error: unknown): void => {
  faults.push(`${where}: ${(error as Error).message}`);
};
beforeEach(() => {
  clock = new VirtualClock();
  faults = [];
});

const pod: Pod = aPod(
  {
    initContainers: [aContainer("first")],
    containers: [aContainer("main")],
    ephemeralContainers: [aContainer("debug")],
  },
  { name: "web", namespace: "shop", uid: "u1" },
);

describe("an event", () => {
  let events: EventLog;
  beforeEach(() => {
    events = new EventLog({ clock, nodeName: "node-1", capacity: 3, report });
  });
  const counts = () => events.list().map(({ reason, count }) => [reason, count]);

  test("of a pod has the kubelet's fields", () => {
    const now = clock.now();
    events.pod(pod, "Warning", "BackOff", "again and again", "main", { "example.com/a": "1" });
    const time = rfc3339(now);
    expect(events.list()).toEqual([
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: {
          name: `web.${Math.trunc(now).toString(16)}0000`,
          namespace: "shop",
          creationTimestamp: time,
          annotations: { "example.com/a": "1" },
        },
        involvedObject: {
          kind: "Pod",
          namespace: "shop",
          name: "web",
          uid: "u1",
          apiVersion: "v1",
          fieldPath: "spec.containers{main}",
        },
        type: "Warning",
        reason: "BackOff",
        message: "again and again",
        count: 1,
        firstTimestamp: time,
        lastTimestamp: time,
        source: { component: "kubelet", host: "node-1" },
        reportingComponent: "kubelet",
        reportingInstance: "node-1",
      },
    ]);
  });

  test("of the node lies in the default namespace, with its name as uid", () => {
    events.node("Normal", "Starting", "Starting kubelet.");
    const [event] = events.list();
    expect(event?.involvedObject).toEqual({ kind: "Node", name: "node-1", uid: "node-1" });
    expect(event?.metadata.namespace).toBe("default");
    expect(event?.metadata.annotations).toBeUndefined();
  });

  test.each([
    ["main", "spec.containers{main}"],
    ["first", "spec.initContainers{first}"],
    ["debug", "spec.ephemeralContainers{debug}"],
    [undefined, undefined],
  ])("about container %s has the place %s", (container, fieldPath) => {
    events.pod(pod, "Normal", "Pulled", "m", container);
    expect(events.list()[0]?.involvedObject.fieldPath).toBe(fieldPath);
  });

  test("that comes again within ten minutes of the last time counts up, and is the newest", async () => {
    const first = clock.now();
    events.pod(pod, "Normal", "A", "m");
    events.pod(pod, "Normal", "B", "m");
    await clock.advance(599_000);
    events.pod(pod, "Normal", "A", "m");
    await clock.advance(599_000);
    events.pod(pod, "Normal", "A", "m");
    expect(counts()).toEqual([
      ["B", 1],
      ["A", 3],
    ]);
    const [, again] = events.list();
    expect([again?.firstTimestamp, again?.lastTimestamp]).toEqual([rfc3339(first), rfc3339(clock.now())]);
  });

  test("that comes again later is a new one", async () => {
    events.pod(pod, "Normal", "A", "m");
    const [before] = events.list();
    await clock.advance(600_000);
    events.pod(pod, "Normal", "A", "m");
    expect(counts()).toEqual([["A", 1]]);
    expect(events.list()[0]?.metadata.name).not.toBe(before?.metadata.name);
  });

  test.each<[string, () => void]>([
    ["container", () => events.pod(pod, "Normal", "A", "m", "main")],
    ["type", () => events.pod(pod, "Warning", "A", "m")],
    ["reason", () => events.pod(pod, "Normal", "B", "m")],
    ["message", () => events.pod(pod, "Normal", "A", "n")],
    ["pod", () => events.pod(aPod({}, { name: "web", namespace: "shop", uid: "u2" }), "Normal", "A", "m")],
    ["object", () => events.node("Normal", "A", "m")],
  ])("of another %s is another one", (_, other) => {
    events.pod(pod, "Normal", "A", "m");
    other();
    expect(events.list().map(({ count }) => count)).toEqual([1, 1]);
    expect(new Set(events.list().map(({ metadata }) => metadata.name)).size).toBe(2);
  });

  test("that is one too many makes the oldest go", () => {
    for (const reason of ["A", "B", "C", "A", "D"]) events.pod(pod, "Normal", reason, "m");
    expect(counts()).toEqual([
      ["C", 1],
      ["A", 2],
      ["D", 1],
    ]);
  });

  test("reaches its listeners with its count, until they leave; one that throws is reported", () => {
    const seen: (number | undefined)[] = [];
    const leave = events.watch(({ count }: Event) => seen.push(count));
    events.watch(() => {
      throw new Error("boom");
    });
    for (let turn = 0; turn < 2; turn++) events.pod(pod, "Normal", "A", "m");
    leave();
    events.pod(pod, "Normal", "A", "m");
    expect(seen).toEqual([1, 2]);
    expect(faults).toEqual(Array.from({ length: 3 }, () => "listener of events: boom"));
  });
});

describe("a decision", () => {
  let decisions: DecisionLog;
  beforeEach(() => {
    decisions = new DecisionLog(clock, 3, report);
  });
  const record = (subject: string, plugin = "p"): void =>
    decisions.forPlugin(plugin).record({ strategy: "s", subject, considered: [], outcome: "o" });
  const subjects = (matches?: (one: Decision) => boolean) => decisions.list(matches).map(({ subject }) => subject);

  test("has its plugin and its time", async () => {
    await clock.advance(1_000);
    record("a", "devices");
    expect(decisions.list()).toEqual([
      { at: clock.now(), plugin: "devices", strategy: "s", subject: "a", considered: [], outcome: "o" },
    ]);
  });

  test.each([
    [2, ["0", "1"]],
    [3, ["0", "1", "2"]],
    [4, ["1", "2", "3"]],
    [5, ["2", "3", "4"]],
    [6, ["3", "4", "5"]],
    [7, ["4", "5", "6"]],
  ])("of %i the last three are kept, the oldest first", (count, kept) => {
    for (let at = 0; at < count; at++) record(String(at));
    expect(subjects()).toEqual(kept);
  });

  test("is found among the others, in their order", () => {
    for (const subject of ["x", "a", "b", "a", "c"]) record(subject);
    expect(subjects(({ subject }) => subject !== "b")).toEqual(["a", "c"]);
  });

  test("reaches its listeners, until they leave; one that throws is reported", () => {
    const seen: string[] = [];
    const leave = decisions.watch(({ subject }) => seen.push(subject));
    decisions.watch(() => {
      throw new Error("boom");
    });
    record("a");
    leave();
    record("b");
    expect(seen).toEqual(["a"]);
    expect(faults).toEqual(["listener of decisions: boom", "listener of decisions: boom"]);
  });
});
