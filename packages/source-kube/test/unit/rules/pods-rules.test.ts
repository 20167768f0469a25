/** Rules of pods that come from the API, and of the mirrors of static ones. */
import { Labels } from "@hooklet/core";
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import {
  type ApiPod,
  awaitsRemoval,
  deliveredPod,
  isBeingDeleted,
  isMirror,
  isTerminal,
  saysMore,
} from "../../../src/pods/api-pod.js";
import { isStatic, mirrorOf, mirrorStep } from "../../../src/pods/mirrors.js";
import { endedContainers, isWhole } from "../../../src/pods/pod-table.js";

const SEEN = "2026-01-01T00:00:00Z";

function apiPod(metadata: object = {}, more: object = {}): ApiPod {
  return {
    metadata: { name: "web", namespace: "default", uid: "u", resourceVersion: "1", ...metadata },
    spec: { containers: [{ name: "main" }, { name: "side" }] },
    ...more,
  } as unknown as ApiPod;
}

describe("a pod of the API", () => {
  test("is handed over with the mark of its source and when it was seen, without status and the API's books", () => {
    const managedFields = [{ manager: "kubectl" }];
    const pod = apiPod(
      { managedFields, annotations: { a: "b" }, labels: { l: "m" } },
      { status: { phase: "Running" } },
    );
    expect(deliveredPod(pod, SEEN)).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "web",
        namespace: "default",
        uid: "u",
        labels: { l: "m" },
        annotations: { a: "b", "kubernetes.io/config.seen": SEEN, "kubernetes.io/config.source": "api" },
      },
      spec: pod.spec,
    });
  });

  test("cannot set its own source, or when it was seen", () => {
    const annotations = { "kubernetes.io/config.seen": "ever", "kubernetes.io/config.source": "file" };
    expect(deliveredPod(apiPod({ annotations }), SEEN).metadata.annotations).toEqual({
      "kubernetes.io/config.seen": SEEN,
      "kubernetes.io/config.source": "api",
    });
  });

  test.each([
    { given: 0, has: 1 },
    { given: -1, has: 1 },
    { given: 1, has: 1 },
    { given: 30, has: 30 },
    { given: undefined, has: undefined },
    { given: null, has: null },
  ])("whose deletion has a grace of $given seconds gets $has: one at least", ({ given, has }) => {
    const { metadata } = deliveredPod(apiPod({ deletionGracePeriodSeconds: given }), SEEN);
    expect(metadata.deletionGracePeriodSeconds).toBe(has);
  });

  test("has ended, is being deleted, is a mirror: by its phase, its deletion time, its annotation", () => {
    const phases = ["Pending", "Running", "Succeeded", "Failed"];
    expect(phases.filter((phase) => isTerminal({ status: { phase } }))).toEqual(["Succeeded", "Failed"]);
    expect(isTerminal({})).toBe(false);
    const deletions = [{}, { deletionTimestamp: null }, { deletionTimestamp: SEEN }];
    expect(deletions.map((one) => isBeingDeleted(apiPod(one)))).toEqual([false, false, true]);
    const annotations = [undefined, {}, { "kubernetes.io/config.mirror": "" }];
    expect(annotations.map((one) => isMirror(apiPod({ annotations: one })))).toEqual([false, false, true]);
  });
});

test.each([
  { name: "is not being deleted", metadata: {}, awaits: false },
  {
    name: "is asked to go",
    metadata: { deletionTimestamp: SEEN, deletionGracePeriodSeconds: 30 },
    awaits: true,
  },
  { name: "is asked to go, without a grace", metadata: { deletionTimestamp: SEEN }, awaits: true },
  {
    name: "is held by finalizers alone: the node has said that nothing of it is left",
    metadata: { deletionTimestamp: SEEN, deletionGracePeriodSeconds: 0 },
    awaits: false,
  },
])("a pod that $name waits for the node's report: $awaits", ({ metadata, awaits }) => {
  expect(awaitsRemoval(apiPod(metadata))).toBe(awaits);
});

describe("a pod that the API sends again", () => {
  const before = apiPod({ labels: { a: "1", b: "2" }, annotations: { c: "3", d: "4" }, generation: 1 });
  const after = (metadata: object, more: object = {}) =>
    apiPod({ ...before.metadata, resourceVersion: "2", ...metadata }, more);

  test.each([
    { name: "its labels", pod: after({ labels: { a: "1", b: "x" } }) },
    { name: "one label less", pod: after({ labels: { a: "1" } }) },
    { name: "no labels any more", pod: after({ labels: undefined }) },
    { name: "its annotations", pod: after({ annotations: { c: "3", d: "x" } }) },
    { name: "its deletion", pod: after({ deletionTimestamp: SEEN }) },
    { name: "its grace period", pod: after({ deletionGracePeriodSeconds: 5 }) },
    { name: "its generation", pod: after({ generation: 2 }) },
    { name: "its spec", pod: after({}, { spec: { containers: [] } }) },
  ])("is an update when $name changed", ({ pod }) => {
    expect(saysMore(before, pod)).toBe(true);
  });

  test.each([
    { name: "its status", pod: after({}, { status: { phase: "Running" } }) },
    { name: "the API's books", pod: after({ managedFields: [{ manager: "x" }] }) },
    { name: "the order of its labels", pod: after({ labels: { b: "2", a: "1" } }) },
    { name: "the order of its annotations", pod: after({ annotations: { d: "4", c: "3" } }) },
    { name: "nothing", pod: after({}) },
  ])("is none when $name changed", ({ pod }) => {
    expect(saysMore(before, pod)).toBe(false);
  });

  test("in the same version is the same, and is not compared", () => {
    expect(saysMore(before, apiPod({ labels: { a: "x" } }))).toBe(false);
  });
});

describe("pods that had ended before the agent came", () => {
  const container = (uid: string | undefined, name: string, state = "CONTAINER_EXITED") => ({
    labels: uid === undefined ? {} : { [Labels.podUid]: uid },
    state,
    metadata: { name, attempt: 0 },
  });
  const ended = endedContainers({
    containers: [
      container("u", "main"),
      container("u", "side"),
      container("u", "main"),
      container("half", "main"),
      container("alive", "main"),
      container("alive", "side", "CONTAINER_RUNNING"),
      container("odd", "main", "CONTAINER_UNKNOWN"),
      container(undefined, "stranger"),
    ] as never,
  });

  test("are those of which every container that is left has ended", () => {
    expect([...ended].map(([uid, names]) => [uid, [...names]])).toEqual([
      ["u", ["main", "side"]],
      ["half", ["main"]],
    ]);
  });

  test.each([
    { uid: "u", restartPolicy: "Never", phase: "Failed", whole: true, why: "nothing would be started again" },
    { uid: "u", restartPolicy: "Always", phase: "Succeeded", whole: false, why: "all would be started again" },
    { uid: "u", restartPolicy: "OnFailure", phase: "Succeeded", whole: true, why: "it went well" },
    { uid: "u", restartPolicy: "OnFailure", phase: "Failed", whole: false, why: "what failed would be started again" },
    { uid: "u", restartPolicy: "OnFailure", phase: undefined, whole: false, why: "has an unknown exit" },
    { uid: "half", restartPolicy: "Never", phase: "Failed", whole: false, why: "a container is not there" },
    { uid: "new", restartPolicy: "Never", phase: "Failed", whole: false, why: "nothing of it is there" },
  ])("$uid, $restartPolicy, $phase: the agent may have it: $whole, $why", ({ uid, restartPolicy, phase, whole }) => {
    const spec = { restartPolicy, containers: [{ name: "main" }, { name: "side" }] };
    const status = phase === undefined ? undefined : { phase };
    expect(isWhole(apiPod({ uid }, { spec, status }), ended)).toBe(whole);
  });

  test("are left out where a container has its own restart policy or rules", () => {
    const [main, side] = [{ name: "main" }, { name: "side" }];
    const whole = (spec: object): boolean =>
      isWhole(apiPod({ uid: "u" }, { spec: { restartPolicy: "Never", ...spec } as never, status: {} }), ended);
    expect(whole({ containers: [main, side], initContainers: [{ name: "setup" }] })).toBe(true);
    expect(whole({ containers: [main, { ...side, restartPolicy: "Always" }] })).toBe(false);
    const init = { name: "setup", restartPolicy: "Never", restartPolicyRules: [] };
    expect(whole({ containers: [main, side], initContainers: [init] })).toBe(false);
  });
});

describe("the mirror of a static pod", () => {
  const hash = "kubernetes.io/config.hash";
  const mark = "kubernetes.io/config.mirror";
  const pod = aPod({ source: "file", annotations: { [hash]: "h" }, labels: { a: "b" } });
  const mirror = (annotations: object, more: object = {}) => apiPod({ annotations, ...more });

  test("is of a pod of a file or a URL that has a hash", () => {
    const sources = ["file", "http", "api"].map((source) => aPod({ source, annotations: { [hash]: "h" } }));
    expect(sources.map(isStatic)).toEqual([true, true, false]);
    expect(isStatic(aPod({ source: "file" }))).toBe(false);
    expect(isStatic({ ...pod, metadata: { ...pod.metadata, annotations: undefined } } as never)).toBe(false);
  });

  test("equals the pod, belongs to the node and names the hash of the manifest", () => {
    const { name, namespace, annotations } = pod.metadata;
    expect(mirrorOf(pod, { name: "n", uid: "nu" })).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace,
        labels: { a: "b" },
        annotations: { ...annotations, [mark]: "h" },
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "nu", controller: true }],
      },
      spec: pod.spec,
    });
    const plain = mirrorOf(aPod({ source: "file" }), { name: "n", uid: "nu" }) as { metadata: object };
    expect(plain.metadata).not.toHaveProperty("labels");
    expect(plain.metadata).toMatchObject({ annotations: { [mark]: "" } });
  });

  test.each([
    { name: "is not there", found: undefined, step: "create" },
    { name: "is of the same manifest", found: mirror({ [mark]: "h" }), step: "keep" },
    { name: "is of another manifest", found: mirror({ [mark]: "x" }), step: "replace" },
    { name: "is no mirror", found: mirror({}), step: "replace" },
    { name: "has no annotations", found: apiPod(), step: "replace" },
    { name: "is being deleted", found: mirror({ [mark]: "h" }, { deletionTimestamp: SEEN }), step: "replace" },
  ])("that $name: $step", ({ found, step }) => {
    expect(mirrorStep(pod, found)).toBe(step);
  });
});
