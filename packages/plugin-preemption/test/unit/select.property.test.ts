import type { Pod } from "@hooklet/core";
import { isPreemptable } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  inOrder,
  kubelet,
  leastDisruption,
  lowestPriorityFirst,
  type Requirement,
  selectVictims,
  subtract,
} from "../../src/internal.js";
import { bestEffort, burstable, CRITICAL, candidates, critical, guaranteed, required } from "./pods.js";

/** Few different amounts: ties are what is hard. */
const amount = fc.constantFrom(0, 1, 2, 3, 5, 8, 100);
const onePod = fc.record({
  kind: fc.constantFrom("best-effort", "burstable", "burstable", "guaranteed"),
  cpu: amount,
  memory: amount,
  gpu: fc.constantFrom(0, 0, 1, 2),
  priority: fc.constantFrom(undefined, 0, 7, 1000, CRITICAL),
  source: fc.constantFrom("api", "api", "api", "file"),
});
const somePods = fc.array(onePod, { maxLength: 40 }).map((all) => all.map(toPod));
const need = fc
  .record({ memory: amount, cpu: amount, "example.com/gpu": fc.constantFrom(0, 1, 3), pods: fc.constantFrom(0, 1, 4) })
  .map((amounts) => required(Object.fromEntries(Object.entries(amounts).filter(([, one]) => one > 0))));

function toPod(
  { kind, cpu, memory, gpu, priority, source }: typeof onePod extends fc.Arbitrary<infer T> ? T : never,
  index: number,
): Pod {
  const name = `p${index}`;
  const parts = { source, spec: priority === undefined ? {} : { priority } };
  const extended = gpu === 0 ? {} : { "example.com/gpu": String(gpu) };
  if (kind === "best-effort")
    return bestEffort(name, { ...parts, ...(gpu === 0 ? {} : { containers: [{ requests: extended }] }) });
  const amounts = { cpu: `${cpu + 1}m`, memory: String(memory + 1), ...extended };
  return kind === "guaranteed"
    ? guaranteed(name, amounts, parts)
    : burstable(name, { ...amounts, cpu: `${cpu}m` }, parts);
}

const uids = (list: readonly { readonly uid: string }[]): readonly string[] => list.map(({ uid }) => uid);

describe.each([
  { name: "kubelet", strategy: kubelet },
  { name: "lowest-priority-first", strategy: lowestPriorityFirst },
  { name: "least-disruption", strategy: leastDisruption },
])("strategy $name", ({ name, strategy }) => {
  const preemptor = critical("crit", {});
  const choose = (pods: readonly Pod[], requirements: readonly Requirement[]) =>
    selectVictims({ preemptor, pods: inOrder(pods), requirements, strategy, strategyName: name, now: 0 });

  test("frees what is required, with preemptable pods only, each once; or evicts none", () => {
    fc.assert(
      fc.property(somePods, need, (pods, requirements) => {
        const { victims, failure } = choose(pods, requirements);
        const all = candidates(pods, requirements);
        expect(failure === undefined).toBe(subtract(requirements, all).length === 0);
        if (failure !== undefined) return expect(victims).toEqual([]);
        expect(subtract(requirements, victims)).toEqual([]);
        expect(victims.every(({ pod }) => isPreemptable(preemptor, pod))).toBe(true);
        expect(new Set(victims).size).toBe(victims.length);
        if (requirements.length === 0) expect(victims).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("chooses the same for any order of the pods", () => {
    fc.assert(
      fc.property(
        somePods.chain((pods) => fc.tuple(fc.constant(pods), fc.shuffledSubarray(pods, { minLength: pods.length }))),
        need,
        ([pods, shuffled], requirements) => {
          expect(uids(choose(shuffled, requirements).victims)).toEqual(uids(choose(pods, requirements).victims));
        },
      ),
    );
  });
});

test("strategy least-disruption takes no pod that the others make needless", () => {
  fc.assert(
    fc.property(somePods, need, (pods, requirements) => {
      const input = { preemptor: critical("crit", {}), pods, requirements, strategyName: "tested", now: 0 };
      const { victims } = selectVictims({ ...input, strategy: leastDisruption });
      for (const one of victims) {
        const others = victims.filter((other) => other !== one);
        expect(subtract(requirements, others)).not.toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});

test.each([
  { name: "kubelet", strategy: kubelet },
  { name: "least-disruption", strategy: leastDisruption },
])("strategy $name takes no Guaranteed pod while the others are enough", ({ strategy }) => {
  fc.assert(
    fc.property(somePods, need, (pods, requirements) => {
      const list = candidates(pods, requirements);
      const others = list.filter(({ qosClass }) => qosClass !== "Guaranteed");
      fc.pre(subtract(requirements, others).length === 0);
      const input = { preemptor: critical("crit", {}), pods, requirements, strategy, strategyName: "tested", now: 0 };
      expect(selectVictims(input).victims.filter(({ qosClass }) => qosClass === "Guaranteed")).toEqual([]);
    }),
  );
});
