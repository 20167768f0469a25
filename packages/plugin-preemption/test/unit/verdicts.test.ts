import { describe, expect, test } from "@jest/globals";
import type { Selection } from "../../src/internal.js";
import { verdicts } from "../../src/verdicts.js";
import { bestEffort, burstable, CRITICAL, candidates, required } from "./pods.js";

describe("`hooklet explain` of each pod", () => {
  const pods = [
    burstable("far", { cpu: "100m" }),
    burstable("near", { cpu: "400m" }),
    burstable("taken", { cpu: "500m" }),
    burstable("static", { cpu: "1" }, { source: "file" }),
    burstable("important", { cpu: "1" }, { spec: { priority: CRITICAL } }),
  ];
  const needs = { cpu: 500, memory: 10 };
  const rows = (selection: Selection) => verdicts(selection, pods, required(needs));

  test("victims come first, then spared pods, the nearest first, then protected ones, each with its reason", () => {
    const all = candidates(pods, required(needs));
    const victims = all.filter(({ pod }) => pod.metadata.name === "taken");
    const words = new Map(victims.map(({ uid }) => [uid, "it was its turn"]));
    expect(rows({ victims, candidates: all, words })).toEqual([
      {
        candidate: "pod/default/taken",
        verdict: "victim",
        why: "Burstable; gives cpu 500 of 500, memory 0 of 10; distance 1; it was its turn",
      },
      {
        candidate: "pod/default/near",
        verdict: "spared",
        why: "Burstable; gives cpu 400 of 500, memory 0 of 10; distance 1.04",
      },
      {
        candidate: "pod/default/far",
        verdict: "spared",
        why: "Burstable; gives cpu 100 of 500, memory 0 of 10; distance 1.64",
      },
      { candidate: "pod/default/static", verdict: "protected", why: "critical: it is static" },
      { candidate: "pod/default/important", verdict: "protected", why: `critical: priority ${CRITICAL}` },
    ]);
  });

  test("a mirror of a static pod is protected, with any priority", () => {
    const noVictims = { victims: [], candidates: [], words: new Map() };
    const mirror = bestEffort("mirror", { annotations: { "kubernetes.io/config.mirror": "hash" } });
    expect(verdicts(noVictims, [mirror], required(needs)).map(({ why }) => why)).toEqual([
      "critical: it mirrors a static pod",
    ]);
  });

  test("a pod that is not critical is protected where it is not below the other", () => {
    const noVictims = { victims: [], candidates: [], words: new Map() };
    const same = [bestEffort("none"), burstable("some", {}, { spec: { priority: 7 } })];
    expect(verdicts(noVictims, same, required(needs)).map(({ why }) => why)).toEqual([
      "priority not set is not below that of the other pod",
      "priority 7 is not below that of the other pod",
    ]);
  });

  test("a node fuller than 250 pods is cut, and the rest counted", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => bestEffort(`p${index}`));
    const noVictims = { victims: [], candidates: [], words: new Map() };
    const of = (count: number) => verdicts(noVictims, many(count), required(needs));
    expect(of(250)).toHaveLength(250);
    expect(of(250).at(-1)?.verdict).toBe("protected");
    expect(of(251)).toHaveLength(251);
    expect(of(251).at(-1)).toEqual({ candidate: "1 more pods", verdict: "not shown", why: "more than 250 pods" });
  });
});
