import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { holders } from "../../../src/admission/queue.js";
import { outOfResource, predicateFailed } from "../../../src/admission/reasons.js";

function pod(name: string, cpu: string): Pod {
  return {
    metadata: { name, namespace: "default", uid: name },
    spec: { containers: [{ name: "main", resources: { requests: { cpu } } }] },
  };
}

const short = outOfResource({ resource: "cpu", requested: 500, used: 1800, capacity: 2000 });
const rows = (pods: readonly Pod[], ...rejections: Parameters<typeof holders>[0]) =>
  holders(rejections, pods).map(({ candidate, verdict, why }) => `${candidate} ${verdict} ${why}`);

test("lists the pods that hold the missing resource, the greatest first, without those that hold none", () => {
  expect(rows([pod("small", "100m"), pod("none", "0"), pod("great", "1")], short)).toEqual([
    "pod/default/great uses cpu: 1000 of 2000",
    "pod/default/small uses cpu: 100 of 2000",
  ]);
});

test("of many pods ten are named and the rest added up", () => {
  const named = rows(
    Array.from({ length: 110 }, (_, i) => pod(`p${i}`, "10m")),
    short,
  );
  expect(named).toHaveLength(11);
  expect(named.at(-1)).toBe("100 more pods use cpu: 1000 of 2000");
});

test("reasons that are no shortfall, and places for pods, have no holders", () => {
  const places = outOfResource({ resource: "pods", requested: 1, used: 1, capacity: 1 });
  expect(rows([pod("a", "1")], predicateFailed("NodePorts"), places)).toEqual([]);
});

test("equal amounts are ordered by name, in any order of the pods", () => {
  const pods = ["b", "c", "a"].map((name) => pod(name, "1"));
  const expected = ["a", "b", "c"].map((name) => `pod/default/${name} uses cpu: 1000 of 2000`);
  expect(rows(pods, short)).toEqual(expected);
  expect(rows(pods.toReversed(), short)).toEqual(expected);
});

test("ten pods are all named, and not summed up", () => {
  const ten = Array.from({ length: 10 }, (_, i) => pod(`p${i}`, "10m"));
  expect(rows(ten, short)).toHaveLength(10);
});
