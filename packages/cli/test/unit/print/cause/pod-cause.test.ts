/** Why a pod failed as a whole. */
import type { Decision } from "@hooklet/core";
import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { anEvent, aPod, NOW } from "../../../../../server/test/samples.js";
import type { Cause } from "../../../../src/print/cause/facts.js";
import { objectsCause, podCause } from "../../../../src/print/cause/pod-cause.js";

const ANEW = "then hooklet delete pod web and apply it again.";

const decided = (strategy: string, considered: Decision["considered"]): Decision => ({
  at: NOW,
  plugin: "core",
  strategy,
  subject: "pod/default/web",
  outcome: "rejected",
  considered,
});

interface Given {
  readonly message?: string;
  readonly spec?: object;
  readonly metadata?: object;
  readonly decisions?: readonly Decision[];
  readonly pods?: readonly Pod[];
}

function causeOf(reason: string, { message, spec = {}, metadata = {}, decisions = [], pods = [] }: Given = {}): Cause {
  const pod = aPod("web", { spec, metadata, status: { phase: "Failed", reason, message } });
  return podCause({ pod, events: [], decisions, pods, logs: new Map() }, reason);
}

test.each<[string, Cause, Cause]>([
  [
    "affinity alone",
    causeOf("NodeAffinity", { spec: { affinity: { nodeAffinity: {} } } }),
    {
      cause: "The node's labels do not match the pod's nodeAffinity.",
      next: `Add the label to the node (rc file: node.labels) or change the pod, ${ANEW}`,
    },
  ],
  [
    "several labels and affinity",
    causeOf("NodeAffinity", { spec: { nodeSelector: { a: "b", c: "d" }, affinity: { nodeAffinity: {} } } }),
    {
      cause: "The node's labels do not match the pod's nodeSelector a=b, c=d and nodeAffinity.",
      next: `Add the label to the node (rc file: node.labels) or change the pod, ${ANEW}`,
    },
  ],
  [
    "labels that a plugin asked for",
    causeOf("NodeAffinity", { spec: { affinity: {} } }),
    {
      cause: "The node's labels do not match the pod's node selector.",
      next: `Add the label to the node (rc file: node.labels) or change the pod, ${ANEW}`,
    },
  ],
  [
    "a deadline that is not known",
    causeOf("DeadlineExceeded"),
    {
      cause: "The pod ran longer than its activeDeadlineSeconds (? s), so it was stopped.",
      next: `Raise activeDeadlineSeconds or make the work shorter, ${ANEW}`,
    },
  ],
  ...["Preempting", "Preempted"].map((reason): [string, Cause, Cause] => [
    `a critical pod (${reason})`,
    causeOf(reason, { message: "Preempted in order to admit critical pod" }),
    {
      cause: "The pod was evicted to make room for a critical one: Preempted in order to admit critical pod.",
      next: `Make room, ${ANEW}`,
    },
  ]),
  [
    "a shutdown that tells of itself",
    causeOf("Terminated", { message: "Pod was terminated in response to imminent node shutdown." }),
    {
      cause: "Pod was terminated in response to imminent node shutdown.",
      next: `Nothing failed: the node was shut down, ${ANEW}`,
    },
  ],
  [
    "a shutdown without a message, of a pod of a file",
    causeOf("NodeShutdown", { metadata: { annotations: { "kubernetes.io/config.source": "file" } } }),
    {
      cause: "The node shut down.",
      next: "Nothing failed: the node was shut down, then change its manifest file, which restarts it.",
    },
  ],
  [
    "a reason of core's",
    causeOf("PodOSNotSupported", {
      decisions: [decided("podAdmit", [{ candidate: "core", verdict: "PodOSNotSupported", why: "" }])],
    }),
    { cause: "The node refused the pod (PodOSNotSupported).", next: `Change what it was refused for, ${ANEW}` },
  ],
  [
    "a reason of which no decision tells",
    causeOf("Other", { message: "Pod was rejected: no  luck" }),
    { cause: "The node refused the pod (Other): no luck.", next: `Change what it was refused for, ${ANEW}` },
  ],
])("%s", (_name, cause, expected) => expect(cause).toEqual(expected));

describe("an eviction", () => {
  test.each([
    ["Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.", true],
    ['Usage of EmptyDir volume "v" exceeds the limit "1Mi".', true],
    ["Container main exceeded its local ephemeral storage limit.", true],
    ["The node was low on resource: memory. The limit of nothing.", false],
    ["The node had no room.", false],
  ])("%s", (message, isOwn) => {
    expect(causeOf("Evicted", { message })).toEqual({
      cause: `The pod was evicted: ${message}`,
      next: isOwn
        ? `Let it write less or raise that limit, ${ANEW}`
        : `Free some of it, raise the pod's request or its priority, ${ANEW}`,
    });
  });

  const pressure = "The node had condition: [MemoryPressure]. ";
  const row = (candidate: string, verdict: string): Decision["considered"][number] => ({
    candidate,
    verdict,
    why: "low",
  });

  test("at admission names each signal that has crossed its threshold", () => {
    const rows = [row("memory.available", "crossed"), row("nodefs.available", "fine"), row("pid.available", "crossed")];
    const decisions = [decided("other", [row("x", "crossed")]), decided("pressure", rows)];
    expect(causeOf("Evicted", { message: pressure, decisions })).toEqual({
      cause: "The node has MemoryPressure: memory.available is low; pid.available is low.",
      next: `Free some of it, or lower the threshold in the rc file (node.evictionHard: memory.available, pid.available), ${ANEW}`,
    });
  });

  test("at admission, a while after the last threshold was crossed", () => {
    const decisions = [decided("pressure", [row("memory.available", "fine")])];
    expect(causeOf("Evicted", { message: pressure, decisions })).toEqual({
      cause:
        "The node had MemoryPressure a short time ago: no threshold is crossed, but the condition stays for a while.",
      next: `Wait until hooklet get node shows no pressure, ${ANEW}`,
    });
  });

  test("at admission, where no decision tells more", () => {
    expect(causeOf("Evicted", { message: "The node had condition: x" })).toEqual({
      cause: "The node has pressure.",
      next: `Free some of it, or lower the threshold in the rc file (node.evictionHard), ${ANEW}`,
    });
  });
});

describe("a host port", () => {
  const spec = {
    containers: [
      { name: "a", ports: [{ containerPort: 1 }, { containerPort: 2, hostPort: 80 }] },
      { name: "b", ports: [{ containerPort: 3, hostPort: 81 }] },
    ],
  };
  const other = (status: object, uid = "u"): Pod => aPod("db", { spec, status, metadata: { uid, namespace: "team" } });

  test("of a pod that runs: the first that both want", () => {
    expect(causeOf("NodePorts", { spec, pods: [other({ phase: "Failed" }, "v"), other({})] })).toEqual({
      cause: "Host port 80 is in use by pod team/db.",
      next: `Choose another hostPort or delete that pod, ${ANEW}`,
    });
  });

  test.each<[string, readonly Pod[]]>([
    ["itself", [other({}, "uid-web")]],
    ["a pod that has failed", [other({ phase: "Failed" })]],
    ["a pod that has succeeded", [other({ phase: "Succeeded" })]],
    ["a pod of other ports", [aPod("db")]],
  ])("not of %s", (_name, pods) => {
    expect(causeOf("NodePorts", { spec, pods })).toEqual({
      cause: "A host port of the pod (80, 81) was in use by another pod when it was admitted.",
      next: "The port may be free by now: hooklet delete pod web and apply it again.",
    });
  });
});

describe("too little of a resource", () => {
  const text = (resource: string, requested: number, used: number, capacity: number): string =>
    `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  const short = (...amounts: readonly [string, number, number, number]): Cause =>
    causeOf(`OutOf${amounts[0]}`, { message: `Pod was rejected: ${text(...amounts)}` });

  test("pods are as many as the node may run", () => {
    expect(short("pods", 1, 110, 110)).toEqual({
      cause: "The node runs 110 pods, as many as it may (node.maxPods 110).",
      next: `Delete a pod or raise node.maxPods in the rc file, ${ANEW}`,
    });
  });

  test("a device that others hold is no device that is missing", () => {
    expect(short("example.com/gpu", 2, 1, 2)).toEqual({
      cause: "The node has too little example.com/gpu: the pod requests 2, and 1 of 2 is in use.",
      next: `Delete a pod that holds some, or request at most what is free now (example.com/gpu 1), ${ANEW}`,
    });
  });

  test("what is overcommitted has nothing free", () => {
    expect(short("cpu", 100, 3000, 2000).next).toBe(
      `Delete a pod that holds some, or request at most what is free now (cpu 0), ${ANEW}`,
    );
  });

  test("three pods that hold some are named", () => {
    const rows = (names: readonly string[]): Decision["considered"] => [
      ...names.map((name) => ({ candidate: `pod/default/${name}`, verdict: "uses", why: "cpu: 1 of 2" })),
      { candidate: "pod/default/x", verdict: "uses", why: "cpuset: 1 of 2" },
      { candidate: "pod/default/y", verdict: "spares", why: "cpu: 1 of 2" },
    ];
    const cause = (names: readonly string[]): string =>
      causeOf("OutOfcpu", { message: text("cpu", 1, 2, 2), decisions: [decided("podAdmit", rows(names))] }).cause;
    expect(cause(["a", "b", "c"])).toContain("(by default/a, default/b, default/c).");
    expect(cause(["a", "b", "c", "d"])).toContain("(by default/a, default/b, default/c and others).");
  });

  test("a message of another form is shown as it is", () => {
    expect(causeOf("OutOfcpu", { message: "no cpu" })).toEqual({
      cause: "no cpu.",
      next: `Make room or change the manifest, ${ANEW}`,
    });
  });
});

describe("what comes before containers", () => {
  const objects = (reason: string, message: string, type = "Warning"): Cause | undefined =>
    objectsCause({
      pod: aPod("web"),
      events: [anEvent("web", reason, { type, message })],
      decisions: [],
      pods: [],
      logs: new Map(),
    });

  test.each([
    "FailedMount",
    "FailedAttachVolume",
    "FailedMapVolume",
    "FailedCreatePodSandBox",
    "FailedCreatePodContainer",
  ])("a warning %s tells why", (reason) => {
    expect(objects(reason, "no room")).toEqual({
      cause: "The pod's sandbox cannot be made: no room.",
      next: "Fix that; the node tries again by itself.",
    });
  });

  test("a volume that is no path of the host", () => {
    expect(objects("FailedMount", 'MountVolume.SetUp failed for volume "v" : timed out')).toEqual({
      cause: "Volume v cannot be mounted: timed out.",
      next: "Fix that; the node tries again by itself.",
    });
  });

  test.each([
    ["another warning", "BackOff", "Warning"],
    ["an event that is no warning", "FailedMount", "Normal"],
  ])("%s tells nothing", (_name, reason, type) => expect(objects(reason, "x", type)).toBeUndefined());
});
