import type { Json, Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { asApplied, decodeResizes, encodeResizes } from "../../src/resize/saved.js";
import { aPod } from "../world.js";

const before = aPod("web", [{ requests: { cpu: "1" }, limits: { memory: "1Gi" } }, {}], {
  initContainers: [{ name: "init", image: "app:1", resources: { requests: { cpu: "500m" } } }],
});
const after = aPod("web", [{ requests: { cpu: "2" } }, {}]);
const applied = {
  main: { requests: { cpu: "1" }, limits: { memory: "1Gi" } },
  c1: { requests: {}, limits: {} },
  init: { requests: { cpu: "500m" }, limits: {} },
};
const refusal = { reason: "Deferred", message: "no room" } as const;

describe("a resize that waits is remembered over a restart", () => {
  test("with what each container really has, since when it waits, and why", () => {
    const saved = encodeResizes(new Map([["uid-web", { before, after, since: 7, refusal }]]));
    expect(saved).toEqual({ "uid-web": { since: 7, refusal, containers: applied } });
    expect(decodeResizes(saved)).toEqual(new Map([["uid-web", { since: 7, refusal, containers: applied }]]));
  });

  test("also one that nobody has looked at", () => {
    const saved = encodeResizes(new Map([["uid-web", { before, after, since: 7 }]]));
    expect(saved).toEqual({ "uid-web": { since: 7, containers: applied } });
    expect(decodeResizes(saved).get("uid-web")).toEqual({ since: 7, containers: applied });
  });
});

describe("what is not as it was written is left out", () => {
  const one = { since: 7, containers: { main: { requests: {}, limits: {} } } };

  test.each<{ name: string; saved: Json | undefined }>([
    { name: "nothing at all", saved: undefined },
    { name: "a list", saved: [one] },
    { name: "a text", saved: "resizes" },
    { name: "an entry that is no object", saved: { u: "x" } },
    { name: "an entry without a time", saved: { u: { containers: {} } } },
    { name: "an entry whose time is a text", saved: { u: { ...one, since: "7" } } },
    { name: "an entry without containers", saved: { u: { since: 7 } } },
  ])("$name", ({ saved }) => {
    expect([...decodeResizes(saved)]).toEqual([]);
  });

  test.each<{ name: string; container: Json }>([
    { name: "no object", container: "x" },
    { name: "requests that are none", container: { requests: 1, limits: {} } },
    { name: "limits that are none", container: { requests: {} } },
    { name: "an amount that is a number", container: { requests: { cpu: 1 }, limits: {} } },
    { name: "one amount of two that is a number", container: { requests: {}, limits: { cpu: "1", memory: 1 } } },
  ])("a container with $name, the others are kept", ({ container }) => {
    const saved = { u: { since: 7, containers: { bad: container, main: { requests: { cpu: "1" }, limits: {} } } } };
    expect(decodeResizes(saved).get("u")?.containers).toEqual({ main: { requests: { cpu: "1" }, limits: {} } });
  });

  test.each<{ name: string; refusal: Json; kept: boolean }>([
    { name: "Deferred", refusal: { reason: "Deferred", message: "no room" }, kept: true },
    { name: "Infeasible", refusal: { reason: "Infeasible", message: "too much" }, kept: true },
    { name: "another reason", refusal: { reason: "Tired", message: "x" }, kept: false },
    { name: "a reason without a message", refusal: { reason: "Deferred" }, kept: false },
    { name: "a text", refusal: "Deferred", kept: false },
  ])("the refusal $name: $kept", ({ refusal: saved, kept }) => {
    const found = decodeResizes({ u: { ...one, refusal: saved } }).get("u");
    expect(found?.refusal).toEqual(kept ? saved : undefined);
    expect(found?.since).toBe(7);
  });
});

describe("a pod as it is applied", () => {
  test("has the amounts that its containers have, and everything else of what is wanted", () => {
    const wanted: Pod = { ...after, spec: { ...after.spec, initContainers: before.spec.initContainers ?? [] } };
    const had = { since: 0, containers: { main: applied.main, init: { requests: { cpu: "100m" }, limits: {} } } };
    const { spec, metadata } = asApplied(wanted, had);
    expect(metadata).toBe(wanted.metadata);
    expect(spec.containers.map(({ resources }) => resources)).toEqual([applied.main, {}]);
    expect(spec.initContainers?.map(({ resources }) => resources)).toEqual([{ requests: { cpu: "100m" }, limits: {} }]);
  });

  test("keeps claims, and has no init containers where there are none", () => {
    const claims = [{ name: "gpu" }];
    const [main] = after.spec.containers;
    const wanted = { ...after, spec: { ...after.spec, containers: [{ ...main, resources: { claims } }] } } as Pod;
    const { spec } = asApplied(wanted, { since: 0, containers: { main: applied.main } });
    expect(spec.containers[0]?.resources).toEqual({ claims, ...applied.main });
    expect("initContainers" in spec).toBe(false);
  });
});
