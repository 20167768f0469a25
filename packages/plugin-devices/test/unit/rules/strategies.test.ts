import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type AllocationInput,
  type AllocationStrategy,
  type Candidate,
  violation,
} from "../../../src/strategies/allocation.js";
import { allocationStrategies, kubelet, numaPacked, spread } from "../../../src/strategies/built-in.js";
import { GPU, podOf } from "../../devices.js";

const pod = podOf("p", [{}]);
const container = { name: "c0" };

function inputOf(
  candidates: readonly Candidate[],
  size: number,
  parts: Partial<AllocationInput> = {},
): AllocationInput {
  const reusable = candidates.filter(({ place }) => place === "reusable").map(({ id }) => id);
  return {
    pod,
    container,
    resource: GPU,
    size,
    candidates,
    mustInclude: reusable.slice(0, size),
    affinity: undefined,
    canAsk: false,
    preferred: undefined,
    ...parts,
  };
}

const candidate = (id: string, node?: number, place: Candidate["place"] = "no-topology"): Candidate => ({
  id,
  nodes: node === undefined ? [] : [node],
  health: "Healthy",
  place,
});

/** Two free on node 0, four on node 1, three on node 2. */
const uneven = [
  ...["a0", "a1"].map((id) => candidate(id, 0)),
  ...["b0", "b1", "b2", "b3"].map((id) => candidate(id, 1)),
  ...["c0", "c1", "c2"].map((id) => candidate(id, 2)),
];

describe("numa-packed", () => {
  test.each([
    { name: "the fullest node that fits", size: 2, expected: ["a0", "a1"] },
    { name: "leaves large holes to large requests", size: 3, expected: ["c0", "c1", "c2"] },
    { name: "the emptiest first when no node holds all", size: 6, expected: ["a0", "a1", "b0", "b1", "b2", "b3"] },
  ])("$name", ({ size, expected }) => {
    expect([...(numaPacked(inputOf(uneven, size)) as string[])].sort()).toEqual(expected);
  });

  test("continues where the container has devices already", () => {
    const candidates = [candidate("z", 1, "reusable"), ...uneven];
    expect(numaPacked(inputOf(candidates, 3))).toEqual(["z", "b0", "b1"]);
  });

  test("those without topology are a separate group", () => {
    const candidates = [candidate("a", 1), candidate("b"), candidate("c")];
    expect(numaPacked(inputOf(candidates, 2))).toEqual(["b", "c"]);
    expect(numaPacked(inputOf([candidate("z", undefined, "reusable"), ...candidates], 2))).toEqual(["z", "b"]);
  });

  test("of equal nodes the lower one", () => {
    expect(numaPacked(inputOf([candidate("a", 1), candidate("b", 0)], 1))).toEqual(["b"]);
  });
});

describe("spread", () => {
  test.each([
    { name: "one of each node, the emptiest first", size: 3, expected: ["b0", "c0", "a0"] },
    { name: "and again", size: 6, expected: ["b0", "c0", "a0", "b1", "c1", "a1"] },
  ])("$name", ({ size, expected }) => {
    expect(spread(inputOf(uneven, size))).toEqual(expected);
  });

  test("of equal nodes the lower one, in any order", () => {
    const candidates = [candidate("a", 1), candidate("b", 0)];
    for (const listed of [candidates, candidates.toReversed()]) expect(spread(inputOf(listed, 1))).toEqual(["b"]);
  });

  test("the node of which the container has fewest goes before the emptiest", () => {
    const candidates = [...["a0", "a1", "a2", "a3"].map((id) => candidate(id, 0)), candidate("b0", 1)];
    expect(spread(inputOf(candidates, 2))).toEqual(["a0", "b0"]);
    expect(spread(inputOf(candidates.toReversed(), 2))).toEqual(["a3", "b0"]);
  });

  test("what init containers leave counts as had", () => {
    const candidates = [
      candidate("z", 0, "reusable"),
      ...["a0", "a1"].map((id) => candidate(id, 0)),
      candidate("b0", 1),
    ];
    expect(spread(inputOf(candidates, 2))).toEqual(["z", "b0"]);
  });
});

describe("kubelet", () => {
  test("takes what the plugin prefers among what it may have", () => {
    const input = inputOf(uneven, 2, { canAsk: true, preferred: ["b3", "bogus", "c2", "a0"] });
    expect(kubelet(input)).toEqual(["b3", "c2"]);
  });

  test("asked in vain, it goes by the order of ids", () => {
    expect(kubelet(inputOf(uneven, 2, { canAsk: true, preferred: [] }))).toEqual(["a0", "a1"]);
  });

  test("does not ask where there is nothing to choose", () => {
    const aligned = [candidate("a", 0, "aligned"), candidate("b", 0, "aligned"), candidate("c", 1, "unaligned")];
    expect(kubelet(inputOf(aligned, 2, { canAsk: true, affinity: [0] }))).toEqual(["a", "b"]);
  });

  test("does not ask where what init containers leave is enough", () => {
    const candidates = [candidate("z", 0, "reusable"), candidate("a", 0, "aligned"), candidate("b", 0, "aligned")];
    expect(kubelet(inputOf(candidates, 1, { canAsk: true, affinity: [0] }))).toEqual(["z"]);
  });

  test("takes those on the chosen nodes, then those on others, then those without topology", () => {
    const candidates = [candidate("n"), candidate("u", 1, "unaligned"), candidate("a", 0, "aligned")];
    for (const [size, expected] of [["a"], ["a", "u"], ["a", "u", "n"]].entries())
      expect(kubelet(inputOf(candidates, size + 1, { affinity: [0] }))).toEqual(expected);
  });

  test("asks among those on the chosen nodes where they are more than enough, else among all that it does not have", () => {
    const candidates = [
      candidate("z", 1, "reusable"),
      candidate("a", 0, "aligned"),
      candidate("b", 0, "aligned"),
      candidate("u", 1, "unaligned"),
      candidate("n"),
    ];
    const asked = (size: number) => kubelet(inputOf(candidates, size, { canAsk: true, affinity: [0] }));
    expect(asked(2)).toEqual({ ask: { available: ["a", "b", "z"], mustInclude: ["z"], size: 2 } });
    expect(asked(4)).toEqual({
      ask: { available: ["a", "b", "u", "n", "z"], mustInclude: ["z", "a", "b"], size: 4 },
    });
  });
});

/** Any free devices on up to three nodes, with a choice of nodes or none, and devices of init containers. */
const anyInput = fc
  .record({
    places: fc.array(
      fc.constantFrom<readonly [number | undefined, boolean]>(
        [0, false],
        [1, false],
        [2, false],
        [undefined, false],
        [0, true],
        [1, true],
      ),
      {
        minLength: 1,
        maxLength: 24,
      },
    ),
    affinity: fc.option(fc.uniqueArray(fc.constantFrom<number>(0, 1, 2), { minLength: 1 }), { nil: undefined }),
    size: fc.integer({ min: 1, max: 24 }),
    canAsk: fc.boolean(),
    preferred: fc.option(fc.array(fc.integer({ min: 0, max: 30 }).map((one) => `d${one}`)), { nil: undefined }),
  })
  .map(({ places, affinity, size, canAsk, preferred }) => {
    const candidates = places.map(([node, reusable], index) => {
      const place = reusable
        ? ("reusable" as const)
        : node === undefined || affinity === undefined
          ? ("no-topology" as const)
          : (affinity as readonly number[]).includes(node)
            ? ("aligned" as const)
            : ("unaligned" as const);
      return candidate(`d${index}`, node, place);
    });
    return inputOf(candidates, Math.min(size, candidates.length), { affinity, canAsk, preferred });
  });

describe.each(Object.entries(allocationStrategies))("strategy %s", (_, entry) => {
  const strategy = entry.create({}) as AllocationStrategy;

  test("its choice is never a violation, for any free, preferred and aligned devices", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const answer = strategy(input);
        if (!Array.isArray(answer)) {
          expect(input.canAsk && input.preferred === undefined).toBe(true);
          expect(violation(strategy({ ...input, preferred: [] }), input)).toBeUndefined();
        } else expect(violation(answer, input)).toBeUndefined();
      }),
    );
  });

  test("the same input gives the same choice", () => {
    fc.assert(fc.property(anyInput, (input) => expect(strategy(input)).toEqual(strategy(input))));
  });
});

describe("what is wrong with a choice", () => {
  const input = inputOf(
    [
      candidate("r", 0, "reusable"),
      candidate("a", 0, "aligned"),
      candidate("b", 0, "aligned"),
      candidate("u", 1, "unaligned"),
      candidate("n"),
    ],
    2,
    { affinity: [0] },
  );
  test.each([
    { name: "no list", chosen: "a", expected: "returned string, expected a list of device ids" },
    { name: "null", chosen: null, expected: "returned null, expected a list of device ids" },
    { name: "an unknown id", chosen: ["r", "x"], expected: 'chose "x", which is no candidate' },
    { name: "a number", chosen: ["r", 1], expected: "chose 1, which is no candidate" },
    { name: "twice the same", chosen: ["a", "a"], expected: 'chose "a" twice' },
    { name: "too few", chosen: ["r"], expected: "chose 1 devices, expected 2" },
    {
      name: "without what an init container gives on",
      chosen: ["a", "b"],
      expected: 'left out "r", which an init container of the pod gives on',
    },
    { name: "off the chosen nodes", chosen: ["r", "u"], expected: 'took "u" though "a" lies on the chosen NUMA nodes' },
    { name: "without topology", chosen: ["r", "n"], expected: 'took "n" though "a" lies on the chosen NUMA nodes' },
  ])("$name", ({ chosen, expected }) => {
    expect(violation(chosen, input)).toBe(expected);
  });

  test("nothing, when all is well", () => expect(violation(["r", "b"], input)).toBeUndefined());
});
