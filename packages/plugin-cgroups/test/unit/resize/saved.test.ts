import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { asApplied, resizesToSave, savedResizes } from "../../../src/resize/saved.js";
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
const schema = typeof savedResizes === "function" ? savedResizes(z) : savedResizes;
const refusal = { reason: "Deferred", message: "no room" } as const;

describe("a resize that waits is remembered over a restart", () => {
  test("with what each container really has, since when it waits, and why", () => {
    const saved = resizesToSave(new Map([["uid-web", { before, after, since: 7, refusal }]]));
    expect(saved).toEqual({ "uid-web": { since: 7, refusal, containers: applied } });
    expect(schema.parse(saved)).toEqual(saved);
  });

  test("also one that is not decided yet", () => {
    const saved = resizesToSave(new Map([["uid-web", { before, after, since: 7 }]]));
    expect(saved).toEqual({ "uid-web": { since: 7, containers: applied } });
    expect(schema.parse(saved)).toEqual(saved);
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
