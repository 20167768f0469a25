import { expect, test } from "@jest/globals";
import { aPod } from "../../../server/test/samples.js";
import { quotedLog, troubleHead, troubles } from "../../src/trouble.js";

const main = (status: object): ReturnType<typeof troubles> =>
  troubles(aPod("web", { status: { containerStatuses: [{ name: "main", ready: false, ...status }] } }));
const ended = { exitCode: 3, reason: "Error", message: " no disk\n" };

test.each<[string, object, object[]]>([
  ["ended well", { state: { terminated: { exitCode: 0 } } }, []],
  [
    "ended badly",
    { state: { terminated: ended } },
    [{ container: "main", why: "exit code 3 (Error): no disk", log: "current" }],
  ],
  [
    "was killed",
    { state: { terminated: { exitCode: 137, signal: 9 } } },
    [{ container: "main", why: "signal 9", log: "current" }],
  ],
  ["waits for its turn", { state: { waiting: { reason: "PodInitializing" } } }, []],
  ["is being made", { state: { waiting: { reason: "ContainerCreating" } } }, []],
  [
    "waits after an end",
    { state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } }, lastState: { terminated: ended } },
    [{ container: "main", why: "exit code 3 (Error): no disk, then CrashLoopBackOff: back-off 10s", log: "current" }],
  ],
  [
    "waits in back-off without an end",
    { state: { waiting: { reason: "CrashLoopBackOff" } } },
    [{ container: "main", why: "CrashLoopBackOff" }],
  ],
  [
    "cannot be pulled",
    { state: { waiting: { reason: "ErrImagePull", message: "no" } } },
    [{ container: "main", why: "ErrImagePull: no" }],
  ],
  [
    "cannot be made again",
    { state: { waiting: {} }, lastState: { terminated: { exitCode: 0 } } },
    [{ container: "main", why: "waiting", log: "current" }],
  ],
  ["has no state", {}, []],
  ["is ready", { ready: true, state: { running: {} }, lastState: { terminated: ended } }, []],
  ["runs for the first time", { state: { running: {} } }, []],
  ["ended well before", { state: { running: {} }, lastState: { terminated: { exitCode: 0 } } }, []],
  [
    "ended badly before",
    { state: { running: {} }, lastState: { terminated: { exitCode: 1 } } },
    [{ container: "main", why: "exit code 1 before it was started again", log: "previous" }],
  ],
])("a container that %s", (_name, status, expected) => expect(main(status)).toEqual(expected));

test("the pod's own trouble comes first, then the containers in their order", () => {
  const terminated = { exitCode: 1 };
  const status = {
    phase: "Failed",
    reason: "Evicted",
    message: "no room",
    containerStatuses: ["b", "a"].map((name) => ({ name, state: { terminated } })),
    initContainerStatuses: [{ name: "prep", state: { terminated } }],
  };
  const spec = { initContainers: [{ name: "prep" }], containers: [{ name: "a" }, { name: "b" }, { name: "c" }] };
  expect(troubles(aPod("web", { status, spec })).map(troubleHead)).toEqual([
    "Evicted: no room",
    "container prep: exit code 1",
    "container a: exit code 1",
    "container b: exit code 1",
  ]);
});

test("a pod that succeeded, or has no status, is well", () => {
  expect(troubles(aPod("web", { status: { phase: "Succeeded", reason: "Completed" } }))).toEqual([]);
  expect(
    troubles({ metadata: { name: "a", namespace: "b", uid: "c" }, spec: { containers: [{ name: "d" }] } }),
  ).toEqual([]);
});

test("a line of a log stands behind a bar", () => expect(quotedLog("x")).toBe("  | x"));
