import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { halve } from "../../src/pick/halve.js";
import { PositionHeap } from "../../src/pick/position-heap.js";
import { compareTies, type Shape, shapesOf } from "../../src/pick/shape.js";
import { ShapeTree } from "../../src/pick/shape-tree.js";
import { burstable, candidates, required } from "../pods.js";

function shape(amounts: readonly number[], tie: readonly [number, number] = [0, 0], ...positions: number[]): Shape {
  const heap = new PositionHeap();
  for (const position of positions) heap.push(position);
  return { amounts, tie, positions: heap };
}

/** How far amounts are from `wanted`, and how often somebody asked. */
function counted(...wanted: readonly number[]) {
  const asked = { times: 0 };
  const distance = (amounts: readonly number[]): number => {
    asked.times += 1;
    return wanted.reduce((sum, one, index) => sum + Math.max(0, one - (amounts[index] ?? 0)) ** 2, 0);
  };
  return { asked, distance };
}

describe("a heap of places", () => {
  test("has the greatest on top, whatever comes and goes", () => {
    const step = fc.option(fc.nat(50), { nil: undefined });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new PositionHeap();
        const list: number[] = [];
        for (const one of steps) {
          if (one === undefined) {
            heap.pop();
            list.sort((a, b) => b - a).shift();
          } else {
            heap.push(one);
            list.push(one);
          }
          expect(heap.top).toBe(list.length === 0 ? undefined : Math.max(...list));
        }
      }),
    );
  });

  test("gives them back from the greatest down", () => {
    const heap = new PositionHeap();
    for (const one of [3, 9, 1, 7, 5, 8, 2, 6, 4, 0]) heap.push(one);
    const order: (number | undefined)[] = [];
    for (let i = 0; i < 10; i++) {
      order.push(heap.top);
      heap.pop();
    }
    expect(order).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    heap.pop();
    expect(heap.top).toBeUndefined();
  });
});

describe("shapes", () => {
  test("are pods that nothing tells apart: what they give of what is required, and their tie", () => {
    const pods = [
      burstable("a", { cpu: "1", memory: "1Mi" }),
      burstable("b", { cpu: "2", memory: "1Mi" }),
      burstable("c", { cpu: "1", memory: "1Mi" }),
      burstable("d", { cpu: "1", memory: "2Mi" }),
    ];
    const requirements = required({ cpu: 1, gpu: 1 });
    const { shapes, at } = shapesOf(candidates(pods, requirements), requirements, ({ requests }) => [
      requests.memory ?? 0,
      0,
    ]);
    expect(shapes.map(({ amounts, tie, positions }) => [amounts, tie, positions.top])).toEqual([
      [[1000, 0], [1024 ** 2, 0], 2],
      [[2000, 0], [1024 ** 2, 0], 1],
      [[1000, 0], [2 * 1024 ** 2, 0], 3],
    ]);
    expect(at.map((one) => shapes.indexOf(one))).toEqual([0, 1, 0, 2]);
  });

  test("are not taken for one because their numbers look alike when they stand side by side", () => {
    const pods = [burstable("a", { cpu: "1m", memory: "11" }), burstable("b", { cpu: "11m", memory: "1" })];
    const requirements = required({ cpu: 1, memory: 1 });
    const { shapes } = shapesOf(candidates(pods, requirements), requirements, () => [0, 0]);
    expect(shapes.map(({ amounts }) => amounts)).toEqual([
      [1, 11],
      [11, 1],
    ]);
  });

  test("of which the second number of a tie counts where the first is the same", () => {
    expect([compareTies([1, 9], [2, 0]), compareTies([1, 2], [1, 1]), compareTies([1, 1], [1, 1])]).toEqual([-1, 1, 0]);
  });

  test("are cut in the middle of what they differ in most, measured by the greatest", () => {
    const all = [shape([100, 4000]), shape([101, 1000]), shape([102, 3000]), shape([103, 2000])];
    const [low, high] = halve(all);
    expect(low.map(({ amounts }) => amounts[1])).toEqual([1000, 2000]);
    expect(high.map(({ amounts }) => amounts[1])).toEqual([4000, 3000]);
  });

  test("are cut by what they differ in, relative to the greatest, though another differs by more", () => {
    const all = [shape([3, 1_000_000]), shape([0, 1_000_100]), shape([1, 1_000_050]), shape([2, 1_000_001])];
    expect(halve(all).map((part) => part.map(({ amounts }) => amounts[0]))).toEqual([
      [0, 1],
      [3, 2],
    ]);
  });

  test("are cut in the middle of what they give, not of how many they are", () => {
    expect(halve([3, 100, 1, 2].map((one) => shape([one]))).map((part) => part.length)).toEqual([3, 1]);
  });

  test("that give the same are cut along their ties, half and half", () => {
    const all = [3, 1, 2, 0].map((tie) => shape([5, 0], [tie, 0]));
    expect(halve(all).map((part) => part.map(({ tie }) => tie[0]))).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test("of two or more each half has some, whatever they give", () => {
    const amounts = fc.array(fc.tuple(fc.nat(9), fc.nat(9), fc.nat(3)), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(amounts, (all) => {
        const parts = halve(all.map(([a, b, tie]) => shape([a, b], [tie, 0])));
        expect(Math.min(...parts.map(({ length }) => length))).toBeGreaterThan(0);
        expect(parts[0].length + parts[1].length).toBe(all.length);
      }),
    );
  });
});

describe("the tree of shapes", () => {
  const amount = fc.nat(20);
  const some = fc.uniqueArray(fc.tuple(amount, amount, fc.nat(2), fc.nat(500)), {
    minLength: 1,
    maxLength: 120,
    selector: ([, , , position]) => position,
  });

  test("finds the nearest: of equally near ones the first tie, then the last place; also when others are taken out", () => {
    fc.assert(
      fc.property(some, fc.tuple(amount, amount), (all, wanted) => {
        let left = all.map(([a, b, tie, position]) => shape([a, b], [tie, 0], position));
        const tree = new ShapeTree(left);
        const { distance } = counted(...wanted);
        while (left.length > 0) {
          const best = left.reduce((a, b) => {
            const order =
              distance(a.amounts) - distance(b.amounts) ||
              compareTies(a.tie, b.tie) ||
              (b.positions.top ?? -1) - (a.positions.top ?? -1);
            return order <= 0 ? a : b;
          });
          expect(tree.nearest(distance)).toBe(best);
          tree.remove(best);
          left = left.filter((one) => one !== best);
        }
        expect(tree.nearest(distance)).toBeUndefined();
      }),
    );
  });

  test("looks at few of many: far boxes are passed over, before others are taken out and after", () => {
    const all = Array.from({ length: 4096 }, (_, index) => shape([index % 64, Math.floor(index / 64)], [0, 0], index));
    const tree = new ShapeTree(all);
    for (const round of [0, 1, 2]) {
      const { asked, distance } = counted(63.5, 63.5);
      const found = tree.nearest(distance);
      expect(found).toBe([all[4095], all[4094], all[4031]].find((one) => one === found));
      expect({ round, few: asked.times < 150 }).toEqual({ round, few: true });
      if (found !== undefined) tree.remove(found);
    }
  });

  test("looks at few where all are enough: the first tie goes", () => {
    const all = Array.from({ length: 1024 }, (_, index) => shape([100 + (index % 32)], [1023 - index, 0], index));
    const { asked, distance } = counted(1);
    expect(new ShapeTree(all).nearest(distance)).toBe(all[1023]);
    expect(asked.times).toBeLessThan(400);
  });

  const numbers = Array.from({ length: 1024 }, (_, index) => index);
  const scattered = (index: number): number => (index * 389) % 1024;

  test.each<{ name: string; all: readonly Shape[]; wanted: readonly number[] }>([
    {
      name: "one resource, of which none gives enough",
      all: numbers.map((one) => shape([one], [0, 0], one)),
      wanted: [5000],
    },
    {
      name: "all are enough, in the order of their ties",
      all: numbers.map((one) => shape([one + 1], [one, 0])),
      wanted: [1],
    },
    {
      name: "all are enough, ties in no order",
      all: numbers.map((one) => shape([one + 1], [scattered(one), 0])),
      wanted: [1],
    },
    {
      name: "who gives more of the one gives less of the other",
      all: numbers.map((one) => shape([one, 1024 - one])),
      wanted: [0, 5000],
    },
    {
      name: "the other resource says nothing of the one that is wanted",
      all: numbers.map((one) => shape([one, scattered(one)])),
      wanted: [0, 5000],
    },
  ])("goes one way down to a leaf for each of a thousand, from the first to the last: $name", ({ all, wanted }) => {
    const tree = new ShapeTree(all);
    const { asked, distance } = counted(...wanted);
    let [most, before] = [0, -1];
    for (const _ of all) {
      asked.times = 0;
      const found = tree.nearest(distance);
      most = Math.max(most, asked.times);
      if (found === undefined) break;
      expect(distance(found.amounts)).toBeGreaterThanOrEqual(before);
      before = distance(found.amounts);
      tree.remove(found);
    }
    expect(tree.nearest(distance)).toBeUndefined();
    // The root, both halves of each of six boxes below, and the sixteen of a leaf.
    expect(most).toBeLessThanOrEqual(1 + 2 * 6 + 16);
  });

  test.each([0, 7, 39])("of many that are equally near the last of the list goes, wherever it lies (%i)", (last) => {
    const all = Array.from({ length: 40 }, (_, index) => shape([index + 1], [0, 0], index === last ? 99 : index));
    expect(new ShapeTree(all).nearest(() => 0)).toBe(all[last]);
  });

  test("has nothing where there is nothing, and takes out a stranger without harm", () => {
    const { distance } = counted(1);
    expect(new ShapeTree([]).nearest(distance)).toBeUndefined();
    const own = shape([1], [0, 0], 0);
    const tree = new ShapeTree([own]);
    tree.remove(shape([1], [0, 0], 0));
    tree.remove(own);
    tree.remove(own);
    expect(tree.nearest(distance)).toBeUndefined();
  });
});
