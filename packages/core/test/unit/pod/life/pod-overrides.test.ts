import { expect, test } from "@jest/globals";
import { PodOverrides } from "../../../../src/pod/life/pod-overrides.js";
import type { PodEvent } from "../../../../src/pod/state.js";

const ref = { podUid: "u", container: "main" };

/** What is said where the pod is `known`, or awaited from before. */
function world({ known = true, awaited = true } = {}) {
  const said: PodEvent[] = [];
  const words = new PodOverrides({
    dispatch: (_, event) => known && said.push(event) > 0,
    isRestored: () => awaited,
  });
  return { said, words };
}

test("an override of a known pod is applied at once, and not stored", () => {
  const { said, words } = world();
  words.setContainerReady(ref, true);
  words.setContainerStarted(ref, false);
  words.setCondition("u", "example.com/Warm", { status: "Unknown" });
  words.setCondition("u", "example.com/Warm", undefined);
  expect(said).toEqual([
    { type: "gate", container: "main", gate: { ready: true } },
    { type: "gate", container: "main", gate: { started: false } },
    { type: "conditionSet", condition: "example.com/Warm", state: { status: "Unknown" } },
    { type: "conditionSet", condition: "example.com/Warm", state: undefined },
  ]);
  expect(words.takeEarly("u")).toEqual([]);
});

test("overrides of a pending pod are stored in order until it is taken over", () => {
  const { words } = world({ known: false });
  words.setContainerReady(ref, true);
  words.setContainerReady(ref, false);
  words.setContainerReady({ ...ref, podUid: "other" }, true);
  const gate = (ready: boolean) => ({ type: "gate", container: "main", gate: { ready } });
  expect(words.takeEarly("u")).toEqual([gate(true), gate(false)]);
  expect(words.takeEarly("u")).toEqual([]);
  words.clear();
  expect(words.takeEarly("other")).toEqual([]);
});

test("overrides of an unknown pod are dropped", () => {
  const { words } = world({ known: false, awaited: false });
  words.setContainerReady(ref, true);
  expect(words.takeEarly("u")).toEqual([]);
});

test.each<[string, (words: PodOverrides) => void, string | RegExp]>([
  [
    "one of the agent's own conditions",
    (words) => words.setCondition("u", "Ready", { status: "True" }),
    "none of the agent's own",
  ],
  [
    "no name of a condition",
    (words) => words.setCondition("u", "a b", { status: "True" }),
    "a name like PodResizePending",
  ],
  [
    "a status that is none",
    (words) => words.setCondition("u", "Warm", { status: "true" as never }),
    "True, False, Unknown",
  ],
  [
    "no quantity as a request",
    (words) => words.setAppliedResources(ref, { requests: { cpu: "much" } }),
    "cpu of container main",
  ],
  [
    "no quantity as a limit",
    (words) => words.setAppliedResources(ref, { limits: { cpu: "much" } }),
    "cpu of container main",
  ],
  [
    "a health that is none",
    (words) =>
      words.setAllocatedResourcesStatus(
        ref,
        [{ name: "a.b/gpu", resources: [{ resourceID: "1", health: "Ill" as never }] }],
        "p",
      ),
    /health of a\.b\/gpu 1.*Healthy, Unhealthy, Unknown/,
  ],
])("%s is refused, and no override is set", (_, say, fault) => {
  const { said, words } = world();
  expect(() => say(words)).toThrow(fault);
  expect(said).toEqual([]);
});

test("amounts and devices are those at the time of the override", () => {
  const { said, words } = world();
  const applied = { requests: { cpu: "1" }, limits: { memory: "1Gi" } };
  words.setAppliedResources(ref, applied);
  applied.requests.cpu = "2";
  words.setAppliedResources(ref, undefined);
  const status = [{ name: "a.b/gpu", resources: [{ resourceID: "1", health: "Healthy" as const }] }];
  words.setAllocatedResourcesStatus(ref, status, "p");
  expect(said).toEqual([
    { type: "resourcesApplied", container: "main", resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } } },
    { type: "resourcesApplied", container: "main", resources: undefined },
    { type: "resourcesAllocated", container: "main", plugin: "p", status },
  ]);
});
