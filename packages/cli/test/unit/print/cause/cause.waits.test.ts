/** Why a pod is not Ready although nothing of it failed, and which of its containers counts. */
import type { Decision } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { aPod, NOW } from "../../../../../server/test/samples.js";
import { causeOf } from "../../../../src/print/cause/cause.js";
import type { Cause } from "../../../../src/print/cause/facts.js";

const NOT_READY = { conditions: [{ type: "Ready", status: "False" }] };
const WAIT = "hooklet wait --for condition=Ready pod/web.";

function of(
  status: object,
  spec: object = {},
  outcomes: readonly string[] = [],
  metadata: object = {},
): Cause | undefined {
  const pod = aPod("web", { status: { ...NOT_READY, containerStatuses: [], ...status }, spec, metadata });
  const decisions = outcomes.map(
    (outcome): Decision => ({
      at: NOW,
      plugin: "core",
      strategy: "s",
      subject: "pod/default/web",
      considered: [],
      outcome,
    }),
  );
  return causeOf({ pod, events: [], decisions, pods: [], logs: new Map() });
}

const gate = { readinessGates: [{ conditionType: "a/b" }] };
const gated = (condition: object): Cause | undefined =>
  of({ conditions: [...NOT_READY.conditions, { type: "a/b", ...condition }] }, gate);
const owner =
  "The controller that owns this condition has to set it to True; without one, remove the readinessGates from the manifest.";

test("a runtime that does not answer is the cause, before all that it delays", () => {
  const unready =
    "sources: not read yet: x; runtime cri: container runtime is down: no answer within 5 s; plugin a: off";
  expect(
    causeOf({ pod: aPod("web", { status: NOT_READY }), events: [], decisions: [], pods: [], logs: new Map(), unready }),
  ).toEqual({
    cause: "The container runtime does not answer: container runtime is down: no answer within 5 s.",
    next: "Start it again, such as with systemctl restart containerd; the node then recovers by itself.",
  });
});

test.each<[string, Cause | undefined, Cause]>([
  ["it is being started", of({}), { cause: "The pod is being started.", next: `Wait for it: ${WAIT}` }],
  [
    "a readiness gate is False",
    gated({ status: "False" }),
    { cause: "The containers are ready, but the pod's readiness gate a/b is False.", next: owner },
  ],
  [
    "and says why",
    gated({ status: "Unknown", message: "no answer" }),
    { cause: "The containers are ready, but the pod's readiness gate a/b is Unknown (no answer).", next: owner },
  ],
  [
    "a gate that is True is passed",
    gated({ status: "True" }),
    { cause: "The pod is being started.", next: `Wait for it: ${WAIT}` },
  ],
  [
    "scheduling gates",
    of({}, { schedulingGates: [{ name: "a" }, { name: "b" }] }),
    { cause: "The pod has the scheduling gate a, b.", next: "The controller that set the gate has to remove it." },
  ],
  [
    "it waits for its admission",
    of({}, {}, ["something else", "waits to be admitted (too little cpu (now))"]),
    { cause: "The pod is not admitted yet: too little cpu (now).", next: `The node asks again by itself: ${WAIT}` },
  ],
  [
    "an init container runs",
    of(
      { initContainerStatuses: [{ name: "prep", ready: false, state: { running: {} } }] },
      { initContainers: [{ name: "prep" }] },
    ),
    {
      cause: "Init container prep has not finished yet; the other containers wait for it.",
      next: "Look at what it does: hooklet logs web -c prep -f.",
    },
  ],
  [
    "its manifest changed",
    of({ containerStatuses: [{ name: "main", ready: false, state: { terminated: { exitCode: 143 } } }] }, {}, [
      "is being stopped: its manifest changed, the new one follows",
    ]),
    {
      cause: "The pod is being replaced: its manifest changed.",
      next: `Wait for it: ${WAIT}`,
    },
  ],
  [
    "it is being deleted",
    of({ containerStatuses: [{ name: "main", ready: true, state: { running: {} } }] }, {}, [], {
      deletionTimestamp: "2026-11-21T10:00:00Z",
    }),
    {
      cause: "The pod is being deleted and its containers have not ended yet.",
      next: "Wait for the grace period, or end them at once: hooklet delete pod web --grace-period 0.",
    },
  ],
])("%s", (_name, cause, expected) => expect(cause).toEqual(expected));

const failed = { exitCode: 3 };
const one = (status: object, spec?: object): string | undefined =>
  of({ containerStatuses: [{ name: "main", ready: false, ...status }] }, spec)?.cause;

test.each<[string, string | undefined, string]>([
  [
    "ended badly and waits for its turn",
    one({ state: { waiting: { reason: "ContainerCreating" } }, lastState: { terminated: failed } }),
    "Container main ends with exit code 3.",
  ],
  [
    "ended well and waits for its turn",
    one({ state: { waiting: { reason: "PodInitializing" } }, lastState: { terminated: { exitCode: 0 } } }),
    "The pod is being started.",
  ],
  ["ended well", one({ state: { terminated: { exitCode: 0 } } }), "The pod is being started."],
  [
    "is in back-off",
    one({ state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: failed } }),
    "Container main ends with exit code 3.",
  ],
  [
    "is in back-off after success",
    one({ state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: { exitCode: 0 } } }),
    "Container main ends with exit code 0, and restartPolicy Always starts it again.",
  ],
  [
    "is in back-off of which no end is known",
    one({ state: { waiting: { reason: "CrashLoopBackOff" } } }),
    "Container main cannot be made (CrashLoopBackOff).",
  ],
  [
    "runs again",
    one({ state: { running: {} }, lastState: { terminated: failed } }),
    "Container main ends with exit code 3.",
  ],
  [
    "runs again after success",
    one({ state: { running: {} }, lastState: { terminated: { exitCode: 0 } } }),
    "The pod is being started.",
  ],
  ["has no state", one({}), "The pod is being started."],
])("a container that %s", (_name, cause, expected) => expect(cause).toBe(expected));

test("the first container in the pod's order that is in trouble is named, init containers first", () => {
  const terminated = failed;
  const statuses = ["b", "a"].map((name) => ({ name, ready: false, state: { terminated } }));
  const spec = { initContainers: [{ name: "prep" }], containers: [{ name: "a" }, { name: "b" }] };
  expect(of({ containerStatuses: statuses }, spec)?.cause).toBe("Container a ends with exit code 3.");
  const initContainerStatuses = [{ name: "prep", ready: false, state: { terminated } }];
  expect(of({ containerStatuses: statuses, initContainerStatuses }, spec)?.cause).toBe(
    "Init container prep ends with exit code 3.",
  );
});

test.each([
  [{ restartPolicy: "Always" }, { ready: false, started: true }, true],
  [{ restartPolicy: "Always" }, { ready: true, started: false }, true],
  [{ restartPolicy: "Always" }, { ready: true, started: true }, false],
  [{}, { ready: false }, false],
])("an init container %j that runs %j and ended badly before is in trouble: %s", (container, status, isIn) => {
  const initContainerStatuses = [
    { name: "prep", state: { running: {} }, lastState: { terminated: failed }, ...status },
  ];
  const cause = of({ initContainerStatuses }, { initContainers: [{ name: "prep", ...container }] })?.cause;
  expect(cause === "Init container prep ends with exit code 3.").toBe(isIn);
});

test("a pod that failed without a reason has the cause of its containers; one that is Ready has none", () => {
  const containerStatuses = [{ name: "main", ready: true, state: { terminated: failed } }];
  const conditions = [{ type: "Ready", status: "True" }];
  expect(of({ phase: "Failed", conditions, containerStatuses })?.cause).toBe("Container main ends with exit code 3.");
  expect(of({ conditions, containerStatuses })).toBeUndefined();
  expect(of({ phase: "Failed", reason: "Other" })?.cause).toBe("The node refused the pod (Other).");
});
