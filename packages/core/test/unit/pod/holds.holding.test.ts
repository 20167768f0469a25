import { aContainer, aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { holding } from "../../../src/pod/holds.js";

const pod = aPod({
  name: "web",
  containers: [aContainer({ resources: { requests: { cpu: "2" } } }), aContainer({ name: "side" })],
});

describe("what a pod holds", () => {
  test("is the request of its manifest, without an override", () => {
    expect(holding(pod, { applied: {} })).toBe(pod);
  });

  test("is what is applied, while it waits for other amounts", () => {
    const { spec } = holding(pod, { applied: { main: { requests: { cpu: "500m" } } } });
    expect(spec.containers.map(({ resources }) => resources?.requests)).toEqual([{ cpu: "500m" }, undefined]);
  });

  test("is the same object for the same overrides, so that sums are cached", () => {
    const said = { applied: { main: { requests: { cpu: "500m" } } } };
    expect(holding(pod, said).spec).toBe(holding({ ...pod }, said).spec);
  });
});

describe("a pod whose resize is under way", () => {
  const resources = { requests: { cpu: "2" }, limits: { cpu: "4" }, claims: [{ name: "gpu" }] };
  const both = aPod({
    name: "web",
    containers: [aContainer({ resources })],
    initContainers: [aContainer({ name: "first", resources })],
  });

  test("holds the applied resources of each container, init containers too; without applied ones it holds none", () => {
    const { spec } = holding(both, { applied: { main: { limits: { cpu: "1" } }, first: { requests: { cpu: "3" } } } });
    expect(spec.containers[0]?.resources).toEqual({ ...resources, requests: {}, limits: { cpu: "1" } });
    expect(spec.initContainers?.[0]?.resources).toEqual({ ...resources, requests: { cpu: "3" }, limits: {} });
  });

  test("has no init containers where it had none, and the same ones without overrides", () => {
    expect(holding(pod, { applied: { main: {} } }).spec).not.toHaveProperty("initContainers");
    expect(holding(both, { applied: { main: {} } }).spec.initContainers?.[0]).toBe(both.spec.initContainers?.[0]);
  });

  test("of another manifest is another object for the same words", () => {
    const said = { applied: { main: { requests: { cpu: "1" } } } };
    const first = holding(pod, said).spec;
    expect(holding(both, said).spec).not.toBe(first);
    expect(holding(both, said).spec.initContainers).toHaveLength(1);
  });
});
