import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { candidateOf, inOrder } from "../../src/candidate.js";
import { bestEffort, guaranteed, namesOf, select } from "./pods.js";

describe("the order of pods", () => {
  const at = (name: string, creationTimestamp: string | undefined, uid = name): Pod => {
    const pod = bestEffort(name);
    const { creationTimestamp: _, annotations: __, ...metadata } = pod.metadata;
    return {
      ...pod,
      metadata: { ...metadata, uid, ...(creationTimestamp && { creationTimestamp: creationTimestamp as never }) },
    };
  };
  const names = (...pods: readonly Pod[]) => inOrder(pods).map(({ metadata }) => `${metadata.name} ${metadata.uid}`);

  test("is by age, then by name, then by uid, whichever way they are listed", () => {
    const all = [
      at("b", "2026-01-01T00:00:01Z"),
      at("a", "2026-01-01T00:00:02Z"),
      at("c", "2026-01-01T00:00:01Z", "2"),
      at("c", "2026-01-01T00:00:01Z", "1"),
    ];
    const expected = ["b b", "c 1", "c 2", "a a"];
    expect(names(...all)).toEqual(expected);
    expect(names(...all.toReversed())).toEqual(expected);
  });

  test("goes by when a static pod was seen; without any time a pod is the oldest", () => {
    const seen = at("seen", undefined);
    const annotations = { "kubernetes.io/config.seen": "2026-01-01T00:00:01Z" };
    expect(
      names(
        at("late", "2026-01-01T00:00:02Z"),
        { ...seen, metadata: { ...seen.metadata, annotations } },
        at("old", undefined),
      ),
    ).toEqual(["old old", "seen seen", "late late"]);
  });
});

test("a candidate has the input of strategies, and is frozen", () => {
  const pod = guaranteed("gu", { cpu: "1", memory: "1Mi" }, { spec: { priority: 5 } });
  const candidate = candidateOf(pod, ["cpu", "memory", "pods"]);
  expect(candidate).toEqual({
    uid: pod.metadata.uid,
    name: "default/gu",
    pod,
    qosClass: "Guaranteed",
    priority: 5,
    requests: { cpu: 1000, memory: 1024 ** 2, pods: 1 },
  });
  expect([Object.isFrozen(candidate), Object.isFrozen(candidate.requests)]).toEqual([true, true]);
  expect(candidateOf(bestEffort("be"), []).priority).toBe(0);
  expect(namesOf(select([pod], { cpu: 1 }))).toEqual(["gu"]);
});
