import { aContainer, aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { holding } from "../../src/pod/holding.js";

const pod = aPod({
  name: "web",
  containers: [aContainer({ resources: { requests: { cpu: "2" } } }), aContainer({ name: "side" })],
});

describe("what a pod holds", () => {
  test("is what its manifest asks for, where nobody says otherwise", () => {
    expect(holding(pod, { applied: {} })).toBe(pod);
  });

  test("is what is applied, while it waits for other amounts", () => {
    const { spec } = holding(pod, { applied: { main: { requests: { cpu: "500m" } } } });
    expect(spec.containers.map(({ resources }) => resources?.requests)).toEqual([{ cpu: "500m" }, undefined]);
  });

  test("is the same object for the same words, so that sums are not made anew", () => {
    const said = { applied: { main: { requests: { cpu: "500m" } } } };
    expect(holding(pod, said).spec).toBe(holding({ ...pod }, said).spec);
  });
});
