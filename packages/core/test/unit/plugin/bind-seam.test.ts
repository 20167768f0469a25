import { expect, test } from "@jest/globals";
import { bindSeam, worldOf } from "../../../src/plugin/bind-seam.js";
import { defineSeam } from "../../../src/plugin/contract.js";

const registry = defineSeam<() => string>("example/registry", () => "real");

test("a plugin finds the real world at its seam, or what is bound to it", () => {
  expect(worldOf([]).get(registry)()).toBe("real");
  expect(worldOf([bindSeam(registry, () => "bound")]).get(registry)()).toBe("bound");
});

test("two copies of a plugin mean the same seam", () => {
  const copy = defineSeam<() => string>("example/registry", () => "real");
  expect(worldOf([bindSeam(copy, () => "bound")]).get(registry)()).toBe("bound");
});

test("what is bound has the type of the seam", () => {
  // @ts-expect-error a number is no registry
  expect(worldOf([bindSeam(registry, 1)]).get(registry)).toBe(1);
});
