import { quantityOf } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import { withPids } from "../../../src/opening/facts.js";

test("the node's capacity names pids where the kernel has a limit of them", () => {
  const cpu = ["cpu", quantityOf(4)] as const;
  expect(withPids(new Map([cpu]), 32_768)).toEqual(new Map([cpu, ["pid", quantityOf(32_768)]]));
  expect(withPids(new Map([cpu]), undefined)).toEqual(new Map([cpu]));
});
