/** With Node's own runner: node --test node.test.mjs */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describePlugin } from "@hooklet/testkit";
import { fullNode, suite } from "./full-node.mjs";

test("on a full node the critical pod takes the place of the youngest, and a pod without an owner is refused", async () => {
  assert.deepEqual(await fullNode(), { lost: "NoOwner", young: "Preempting", old: "Running" });
});

describePlugin("owners", suite);
