import { Labels, type Sandbox } from "@hooklet/cri-api";
import { expect, test } from "@jest/globals";
import { SOURCE_ANNOTATION } from "../../../../src/pod/holds.js";
import type { DesiredPod } from "../../../../src/pod/life/desired-state.js";
import type { PodRemains } from "../../../../src/pod/life/take-over.js";
import { PendingPods, RestoredPods } from "../../../../src/pod/life/waiting-pods.js";
import type { PodState } from "../../../../src/pod/state.js";
import { aPod } from "../../../pod/pods.js";
import { anExit, aSandbox, podLabels } from "../../../pod/runtime-objects.js";

const left = (uid: string, sandbox: Partial<Sandbox> = {}, name = "web"): PodRemains => ({
  uid,
  sandboxes: [aSandbox({ labels: { ...podLabels, [Labels.podUid]: uid, [Labels.podName]: name }, ...sandbox })],
  containers: [],
  statuses: new Map(),
});
const named = (uid: string, name = "web") => aPod({}, { uid, name });

test("what the runtime had is known until it is forgotten, or the runtime is read again", () => {
  const pods = new RestoredPods();
  pods.found([left("a", { annotations: { [SOURCE_ANNOTATION]: "file" } }), left("b")]);
  expect(pods.all().map(({ uid }) => uid)).toEqual(["a", "b"]);
  expect([pods.sourceOf("a"), pods.sourceOf("b"), pods.sourceOf("c")]).toEqual(["file", undefined, undefined]);
  expect([pods.has("a"), pods.get("a")?.uid, pods.has("c"), pods.get("c")]).toEqual([true, "a", false, undefined]);
  pods.forget("a");
  expect([pods.has("a"), pods.has("b")]).toEqual([false, true]);
  pods.found([left("c")]);
  expect(pods.all().map(({ uid }) => uid)).toEqual(["c"]);
  pods.clear();
  expect(pods.all()).toEqual([]);
});

test("a pod of the same name runs on under another uid: found until it is taken over, or forgotten", () => {
  const pods = new RestoredPods();
  pods.found([left("a"), left("b"), left("c", {}, "other")]);
  const sameName = (uid: string, ...taken: readonly string[]) =>
    pods.sameName(named(uid), new Map(taken.map((one) => [one, true])))?.uid;
  expect([sameName("new"), sameName("a"), sameName("new", "a"), sameName("new", "a", "b")]).toEqual([
    "a",
    "b",
    "b",
    undefined,
  ]);
  pods.forget("a");
  expect(sameName("new")).toBe("b");
  expect(pods.sameName(named("new", "third"), new Map())).toBeUndefined();
  pods.clear();
  expect(sameName("new")).toBeUndefined();
});

test("pods that ran come first, then critical ones, then the others in their order", () => {
  const pods = new RestoredPods();
  pods.found([left("ran1"), left("ran2")]);
  const one = (uid: string, priority?: number): DesiredPod => ({
    source: "file",
    pod: aPod(priority === undefined ? {} : { priority }, { uid }),
  });
  const due = [one("late", 5), one("ran1"), one("critical", 2_000_000_000), one("later"), one("ran2")];
  const { ran, others } = pods.inOrder(due);
  expect(ran.map(({ pod }) => pod.metadata.uid)).toEqual(["ran1", "ran2"]);
  expect(others.map(({ pod }) => pod.metadata.uid)).toEqual(["critical", "late", "later"]);
});

const dead = { state: "SANDBOX_NOTREADY" } as const;
const running = anExit({ state: "CONTAINER_RUNNING" });
const pending = (...remains: readonly PodRemains[]): PendingPods => {
  const pods = new PendingPods();
  pods.found(remains);
  return pods;
};

test("a pod holds its part of the node while its sandbox is ready or one of its containers runs", () => {
  const pods = pending(left("ready"), { ...left("half", dead), containers: [anExit(), running] }, left("dead", dead), {
    ...left("ended", dead),
    containers: [anExit()],
  });
  expect(pods.silent(new Map()).map(({ metadata }) => metadata.uid)).toEqual(["ready", "half"]);
  expect([pods.has("ready"), pods.has("dead")]).toEqual([true, false]);
  pods.forget("ready");
  expect(pods.has("ready")).toBe(false);
});

test("a pod waits for its source until it is taken over: the same object each time", () => {
  const pods = pending(left("a"), left("b"));
  const [a, b] = pods.silent(new Map());
  expect(pods.silent(new Map([["a", true]]))).toEqual([b]);
  expect(pods.silent(new Map())[0]).toBe(a);
});

test("a pod that is taken over and not admitted holds what its worker shows; once it is admitted the worker counts", () => {
  const workers = (life: object) =>
    new Map([["a", { state: { life } as Pick<PodState, "life">, shown: named("shown") }]]);
  const uids = (pods: PendingPods, life: object) => pods.all(workers(life)).map(({ metadata }) => metadata.uid);
  for (const life of [{ kind: "pending" }, { kind: "terminating", unadmitted: true }]) {
    const pods = pending(left("a"), left("b"));
    expect([uids(pods, life), pods.has("a")]).toEqual([["shown", "b"], true]);
  }
  for (const life of [{ kind: "active" }, { kind: "terminating" }, { kind: "ended" }]) {
    const pods = pending(left("a"), left("b"));
    expect([uids(pods, life), pods.has("a"), pods.has("b")]).toEqual([["b"], false, true]);
  }
  expect(
    pending(left("a"))
      .all(new Map())
      .map(({ metadata }) => metadata.uid),
  ).toEqual(["a"]);
});
