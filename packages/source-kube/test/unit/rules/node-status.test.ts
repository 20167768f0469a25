/** The status of the Node: what it says, what of it is sent, which events report it. */
import { describe, expect, test } from "@jest/globals";
import { isSameStatus, type StatusInApi, statusPatch } from "../../../src/node/node-object.js";
import {
  type ApiCondition,
  type NodeFacts,
  type NodeImage,
  type NodeStatus,
  nodeImages,
  nodeStatus,
  transitions,
} from "../../../src/node/node-status.js";

const NOW = "2026-01-02T00:00:00Z";
const EARLY = "2026-01-01T00:00:00Z";

const facts = (parts: Partial<NodeFacts> = {}): NodeFacts => ({
  name: "n",
  ip: "192.0.2.1",
  port: 10250,
  capacity: { cpu: "2" },
  allocatable: { cpu: "1900m" },
  system: { kernelVersion: "6.1" } as never,
  images: [],
  runtimeHandlers: [],
  conditions: [],
  notReady: [],
  ...parts,
});

const said = (type: string, status: string, reason = "R", message = "m") =>
  ({ type, status, reason, message, plugin: "p", lastHeartbeatTime: 1, lastTransitionTime: 1 }) as never;

const conditionsOf = (parts: Partial<NodeFacts>, before: readonly ApiCondition[] = []) =>
  nodeStatus(facts(parts), before, NOW).conditions;
const readyOf = (parts: Partial<NodeFacts>) => conditionsOf(parts).find(({ type }) => type === "Ready");

describe("the status of a node", () => {
  test("has its addresses, capacity and system info", () => {
    const { conditions: _, ...rest } = nodeStatus(facts({ runtimeHandlers: ["runsc", "", "kata"] }), [], NOW);
    expect(rest).toEqual({
      capacity: { cpu: "2" },
      allocatable: { cpu: "1900m" },
      addresses: [
        { type: "InternalIP", address: "192.0.2.1" },
        { type: "Hostname", address: "n" },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: { kernelVersion: "6.1" },
      images: [],
      runtimeHandlers: [{ name: "" }, { name: "kata" }, { name: "runsc" }],
      declaredFeatures: ["InPlacePodVerticalScalingInitContainers", "RestartAllContainersOnContainerExits"],
    });
    const closed = nodeStatus(facts({ port: undefined }), [], NOW);
    expect(closed.daemonEndpoints.kubeletEndpoint.Port).toBe(0);
  });

  test("has the three pressures by default, with the kubelet's messages, and Ready last", () => {
    expect(
      conditionsOf({}).map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`),
    ).toEqual([
      "MemoryPressure False KubeletHasSufficientMemory: kubelet has sufficient memory available",
      "DiskPressure False KubeletHasNoDiskPressure: kubelet has no disk pressure",
      "PIDPressure False KubeletHasSufficientPID: kubelet has sufficient PID available",
      "Ready True KubeletReady: kubelet is posting ready status",
    ]);
  });

  test("has plugins' conditions in place of that, others behind, Ready still last; their plugin is not named", () => {
    const conditions = conditionsOf({ conditions: [said("Overheated", "True"), said("DiskPressure", "True", "Full")] });
    expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
      "MemoryPressure False",
      "DiskPressure True",
      "PIDPressure False",
      "Overheated True",
      "Ready True",
    ]);
    expect(conditions[1]).toEqual({
      type: "DiskPressure",
      status: "True",
      reason: "Full",
      message: "m",
      lastHeartbeatTime: NOW,
      lastTransitionTime: NOW,
    });
  });

  test("a condition's time of transition moves with its status alone, its heartbeat always", () => {
    const before: readonly ApiCondition[] = [
      { type: "MemoryPressure", status: "False", lastHeartbeatTime: EARLY, lastTransitionTime: EARLY },
      { type: "DiskPressure", status: "True", lastHeartbeatTime: EARLY, lastTransitionTime: EARLY },
      { type: "PIDPressure", status: "False" },
    ];
    const times = conditionsOf({}, before).map(({ lastHeartbeatTime, lastTransitionTime }) => [
      lastHeartbeatTime,
      lastTransitionTime,
    ]);
    expect(times).toEqual([
      [NOW, EARLY],
      [NOW, NOW],
      [NOW, NOW],
      [NOW, NOW],
    ]);
  });

  test.each<{ name: string; parts: Partial<NodeFacts>; expected: string }>([
    { name: "one reason is reported unchanged", parts: { notReady: ["a"] }, expected: "False KubeletNotReady: a" },
    { name: "several as a list", parts: { notReady: ["a", "b"] }, expected: "False KubeletNotReady: [a, b]" },
    {
      name: "a plugin's reason comes behind the others",
      parts: { notReady: ["a"], conditions: [said("Ready", "False", "KubeletNotReady", "node is shutting down")] },
      expected: "False KubeletNotReady: [a, node is shutting down]",
    },
    {
      name: "a plugin's reason alone is reported unchanged",
      parts: { conditions: [said("Ready", "False", "KubeletNotReady", "node is shutting down")] },
      expected: "False KubeletNotReady: node is shutting down",
    },
    {
      name: "a plugin that has reasons of another kind has the word",
      parts: { notReady: ["a"], conditions: [said("Ready", "False", "Broken", "m")] },
      expected: "False Broken: m",
    },
    {
      name: "a plugin that says all is well has the word",
      parts: { notReady: ["a"], conditions: [said("Ready", "True", "KubeletNotReady", "m")] },
      expected: "True KubeletNotReady: m",
    },
  ])("Ready: $name", ({ parts, expected }) => {
    const ready = readyOf(parts);
    expect(`${ready?.status} ${ready?.reason}: ${ready?.message}`).toBe(expected);
  });
});

describe("the images of a node", () => {
  const image = (size: number, repoTags: readonly string[], repoDigests: readonly string[] = []): NodeImage => ({
    size,
    repoTags,
    repoDigests,
  });

  test("are the largest first, of equal ones by name, each with its digests before its tags", () => {
    expect(nodeImages([image(1, ["b"]), image(2, ["z"], ["z@1"]), image(1, ["a"])])).toEqual([
      { names: ["z@1", "z"], sizeBytes: 2 },
      { names: ["a"], sizeBytes: 1 },
      { names: ["b"], sizeBytes: 1 },
    ]);
  });

  test("without a name are left out, and do not count among the fifty that are reported", () => {
    const many = Array.from({ length: 51 }, (_, index) => image(index + 1, [`i${index}`]));
    const recorded = nodeImages([image(1_000, []), ...many]);
    expect([recorded.length, recorded[0]?.sizeBytes, recorded.at(-1)?.sizeBytes]).toEqual([50, 51, 2]);
  });

  test("have at most five names", () => {
    expect(nodeImages([image(1, ["d", "e", "f"], ["a", "b", "c"])])[0]?.names).toEqual(["a", "b", "c", "d", "e"]);
  });
});

describe("what has to be reported to the API", () => {
  const condition: ApiCondition = {
    type: "Ready",
    status: "True",
    reason: "R",
    message: "m",
    lastHeartbeatTime: NOW,
    lastTransitionTime: EARLY,
  };
  const ours: NodeStatus = {
    ...nodeStatus(facts({ capacity: { cpu: "2", memory: "1Ki" } }), [], NOW),
    conditions: [condition],
  };
  const inApi = (parts: object = {}): StatusInApi => ({ ...ours, ...parts }) as StatusInApi;

  test.each<{ name: string; there: StatusInApi; patch: object }>([
    { name: "nothing but the heartbeat where all is the same", there: inApi(), patch: {} },
    {
      name: "nothing where times alone differ",
      there: inApi({ conditions: [{ ...condition, lastHeartbeatTime: EARLY, lastTransitionTime: NOW }] }),
      patch: {},
    },
    {
      name: "nothing of what others advertise",
      there: inApi({ capacity: { ...ours.capacity, "example.com/gpu": "1" } }),
      patch: {},
    },
    {
      name: "nothing of another's condition",
      there: inApi({ conditions: [condition, { type: "NetworkUnavailable", status: "False" }] }),
      patch: {},
    },
    {
      name: "nothing of lists that are empty and left out",
      there: inApi({ images: null, runtimeHandlers: undefined }),
      patch: {},
    },
    { name: "nothing of lists that are empty in both", there: inApi({ images: [] }), patch: {} },
    {
      name: "no change, yet sent along with the heartbeat, fields that an older API server does not know",
      there: inApi({ declaredFeatures: undefined }),
      patch: { declaredFeatures: ours.declaredFeatures },
    },
  ])("is $name", ({ there, patch }) => {
    expect(isSameStatus(ours, there)).toBe(true);
    expect(statusPatch(ours, there)).toEqual({ conditions: ours.conditions, ...patch });
  });

  test.each<{ name: string; there: StatusInApi; patch: object }>([
    {
      name: "an amount of its own that is another one, with all of them",
      there: inApi({ capacity: { cpu: "4", memory: "1Ki" } }),
      patch: { capacity: { cpu: "2", memory: "1Ki" } },
    },
    {
      name: "an amount that the API has not",
      there: inApi({ allocatable: {} }),
      patch: { allocatable: { cpu: "1900m" } },
    },
    {
      name: "amounts where the API has none at all",
      there: inApi({ capacity: null, allocatable: undefined }),
      patch: { capacity: ours.capacity, allocatable: ours.allocatable },
    },
    {
      name: "an amount that is there no more, as gone",
      there: inApi({ capacity: { ...ours.capacity, "hugepages-2Mi": "0" } }),
      patch: { capacity: { ...ours.capacity, "hugepages-2Mi": null } },
    },
    {
      name: "features that are declared now, all of them",
      there: inApi({ declaredFeatures: ["RestartAllContainersOnContainerExits"] }),
      patch: { declaredFeatures: ours.declaredFeatures },
    },
    {
      name: "addresses, in place of all that are there",
      there: inApi({ addresses: [{ type: "InternalIP", address: "192.0.2.9" }] }),
      patch: { addresses: [...ours.addresses, { $patch: "replace" }] },
    },
    {
      name: "images that are gone, as an empty list",
      there: inApi({ images: [{ names: ["a"], sizeBytes: 1 }] }),
      patch: { images: [] },
    },
    {
      name: "a field that the API has not",
      there: inApi({ nodeInfo: undefined }),
      patch: { nodeInfo: ours.nodeInfo },
    },
    {
      name: "a field that says something else",
      there: inApi({ daemonEndpoints: { kubeletEndpoint: { Port: 1 } } }),
      patch: { daemonEndpoints: ours.daemonEndpoints },
    },
    {
      name: "a field that says more than the node does",
      there: inApi({ nodeInfo: { ...ours.nodeInfo, swap: { capacity: 1 } } }),
      patch: { nodeInfo: ours.nodeInfo },
    },
  ])("is $name", ({ there, patch }) => {
    expect(isSameStatus(ours, there)).toBe(false);
    expect(statusPatch(ours, there)).toEqual({ conditions: ours.conditions, ...patch });
  });

  test("are its conditions, where one of several differs", () => {
    const two = { ...ours, conditions: [condition, { ...condition, type: "DiskPressure" }] };
    expect(isSameStatus(two, inApi({ conditions: two.conditions }))).toBe(true);
    expect(isSameStatus(two, inApi({ conditions: [condition] }))).toBe(false);
  });

  test.each([
    { name: "another status", theirs: [{ ...condition, status: "False" }] },
    { name: "another reason", theirs: [{ ...condition, reason: "Other" }] },
    { name: "another message", theirs: [{ ...condition, message: "other" }] },
    { name: "none", theirs: [] },
    { name: "no list", theirs: null },
  ])("are its conditions, where the API has $name", ({ theirs }) => {
    expect(isSameStatus(ours, inApi({ conditions: theirs }))).toBe(false);
  });
});

describe("events report conditions whose status has changed", () => {
  const all = (status: string): readonly ApiCondition[] =>
    ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "Overheated"].map((type) => ({ type, status }));

  test("in the kubelet's words, of the four that have some", () => {
    expect(transitions(all("False"), all("True"))).toEqual([
      "NodeReady",
      "NodeHasInsufficientMemory",
      "NodeHasDiskPressure",
      "NodeHasInsufficientPID",
    ]);
    expect(transitions([], all("False"))).toEqual([
      "NodeNotReady",
      "NodeHasSufficientMemory",
      "NodeHasNoDiskPressure",
      "NodeHasSufficientPID",
    ]);
  });

  test("none of what stays, and none of unknown resources", () => {
    expect(transitions(all("True"), all("True"))).toEqual([]);
    expect(transitions(all("True"), all("Unknown"))).toEqual([]);
  });
});
