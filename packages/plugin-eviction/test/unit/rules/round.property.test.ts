import type { Pod } from "@hooklet/core";
import { isCriticalPod } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  candidateOf,
  chooseVictim,
  kubelet,
  largestUsage,
  lowestPriorityFirst,
  type PodStatistics,
  type Signal,
  signalNames,
  statisticsByUid,
} from "../../../src/internal.js";
import { bytes, CRITICAL, dedicated, disk, FakeNode, memory, oneDisk, pod, split, statisticsOf } from "../pods.js";

/** Few different amounts: ties are what is hard. */
const amount = fc.constantFrom(0, 1, 100, 1000, 10 ** 9);
const one = fc.record({
  request: amount,
  used: amount,
  known: fc.boolean(),
  priority: fc.constantFrom(undefined, -1, 0, 7, CRITICAL),
  source: fc.constantFrom("api", "api", "file"),
});

interface World {
  readonly pods: readonly Pod[];
  readonly statistics: readonly PodStatistics[];
}

const world = fc.array(one, { maxLength: 30 }).map((all): World => {
  const made = all.map(({ request, used, known, priority, source }, index) => {
    const requests = { memory: String(request), "ephemeral-storage": String(request) };
    const own = pod(`p${index}`, requests, { source, spec: priority === undefined ? {} : { priority } });
    const statistics = { memory: used, disk: used, inodes: used, processes: used };
    return { own, statistics: known ? [statisticsOf(own, statistics)] : [] };
  });
  return { pods: made.map(({ own }) => own), statistics: made.flatMap(({ statistics }) => statistics) };
});
const signals = fc.constantFrom(...signalNames);
const layouts = fc.constantFrom(oneDisk, dedicated, split);
const strategies = fc.constantFrom(kubelet, lowestPriorityFirst, largestUsage);

function choose({ pods, statistics }: World, signal: Signal, layout = oneDisk, ranking = kubelet) {
  return chooseVictim({
    signal,
    pods,
    statistics: statisticsByUid(statistics),
    layout,
    ranking,
    rankingName: "tested",
  });
}

test("no strategy ever takes a critical pod, and each ranks all others", () => {
  fc.assert(
    fc.property(world, signals, layouts, strategies, (node, signal, layout, ranking) => {
      const { order, victim, failure } = choose(node, signal, layout, ranking);
      const mayGo = node.pods.filter((each) => !isCriticalPod(each));
      expect(failure).toBeUndefined();
      expect(new Set(order.map((each) => each.pod))).toEqual(new Set(mayGo));
      expect(victim).toBe(order[0]);
    }),
  );
});

test("no pod within its request is evicted while another one exceeds its own", () => {
  const requested = signals.filter((signal) => signal.includes("emory") || signal.endsWith("fs.available"));
  fc.assert(
    fc.property(world, requested, layouts, (node, signal, layout) => {
      const { victim, order } = choose(node, signal, layout);
      if (victim === undefined || !victim.known || victim.usage > victim.request) return;
      expect(order.filter(({ known, usage, request }) => known && usage > request)).toEqual([]);
    }),
  );
});

test("of two pods over their request that of lower priority goes", () => {
  fc.assert(
    fc.property(world, (node) => {
      const { victim, order } = choose(node, "memory.available");
      if (victim === undefined || !victim.known || victim.usage <= victim.request) return;
      const rivals = order.filter(({ known, usage, request }) => known && usage > request);
      expect(Math.min(...rivals.map(({ priority }) => priority))).toBe(victim.priority);
    }),
  );
});

test("the same input gives the same order, whatever was decided before", () => {
  fc.assert(
    fc.property(world, world, signals, layouts, (node, other, signal, layout) => {
      const names = () => choose(node, signal, layout).order.map(({ name }) => name);
      const first = names();
      choose(other, signal, layout);
      expect(names()).toEqual(first);
    }),
  );
});

test("candidates have each pod's usage of the starved resource", () => {
  const own = pod("p", { "ephemeral-storage": "10" });
  const statistics = statisticsOf(own, { memory: 1, disk: 30, inodes: 7, processes: 4 });
  const of = (signal: Signal) => {
    const { usage, request, excess } = candidateOf(signal, own, statistics, oneDisk);
    return { usage, request, excess };
  };
  expect(of("memory.available")).toEqual({ usage: 1, request: 0, excess: 1 });
  expect(of("nodefs.available")).toEqual({ usage: 30, request: 10, excess: 20 });
  // Inodes less bytes: the kubelet's own odd reckoning.
  expect(of("nodefs.inodesFree")).toEqual({ usage: 7, request: 0, excess: -3 });
  expect(of("pid.available")).toEqual({ usage: 4, request: 0, excess: 4 });
});

test("never more than one pod a round for pressure, with any crossed thresholds", async () => {
  const amounts = fc.constantFrom("0", "50Mi", "1Gi", "90Gi");
  await fc.assert(
    fc.asyncProperty(world, fc.array(fc.tuple(amounts, amounts), { maxLength: 8 }), async (start, rounds) => {
      const node = new FakeNode();
      node.pods = start.pods;
      node.statisticsOfPods = start.statistics;
      const manager = node.manager({
        evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%" },
        evictionSoft: { "memory.available": "2Gi" },
        evictionSoftGracePeriod: { "memory.available": "20s" },
        evictionMinimumReclaim: { "memory.available": "1Gi" },
      });
      for (const [left, free] of rounds) {
        node.now += 10_000;
        node.node = { ...memory(left, "200Gi"), ...disk(free) };
        const before = node.evicted.length;
        const evicted = await manager.synchronize();
        expect(node.evicted.length - before).toBe(evicted.length);
        expect(evicted.length).toBeLessThanOrEqual(1);
        if (bytes(left) >= bytes("3Gi") && bytes(free) >= bytes("10Gi")) expect(evicted).toEqual([]);
      }
    }),
  );
});
