/** With jest: NODE_OPTIONS=--experimental-vm-modules npx jest jest.test.mjs */
import { describePlugin } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { fullNode, suite } from "./full-node.mjs";

test("on a full node the critical pod takes the place of the youngest, and a pod without an owner is refused", async () => {
  expect(await fullNode()).toEqual({ lost: "NoOwner", young: "Preempting", old: "Running" });
});

describePlugin("owners", suite);
