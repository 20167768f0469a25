import type { StrategyEntry } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import type { OrderStrategy } from "../../../src/index.js";
import { inOrder } from "../../../src/internal.js";
import { record } from "../images/images.js";

// A path that the compiler does not follow: examples are plain JavaScript.
const file = new URL("../../../../../examples/strategies/scratch-images-first.mjs", import.meta.url).pathname;

test("the example takes images of its prefixes first, the largest first, and its answer passes the check", async () => {
  const { default: example } = (await import(file)) as { default: StrategyEntry<OrderStrategy> };
  const schema = (example.options as (zod: typeof z) => z.ZodType)(z);
  const order = example.create(schema.parse({ prefixes: ["registry.example/ci/"] }));
  const candidates = [
    record("old"),
    record("ci-small", { names: ["registry.example/ci/a:1"], size: 1 }),
    record("ci-large", { names: ["registry.example/ci/b:1"], size: 2 }),
    record("new"),
  ];
  const { candidates: ordered, fault } = inOrder(order, { candidates, now: 0 });
  expect(ordered.map(({ id }) => id)).toEqual(["ci-large", "ci-small", "old", "new"]);
  expect(fault).toBeUndefined();
});
