import { expect, test } from "@jest/globals";
import { isRemoval, type TerminationCause } from "../../../src/hooks/termination.js";

const words = { reason: "Evicted", message: "low on memory" };

test.each<[string, TerminationCause, boolean]>([
  ["that was deleted is forgotten", { kind: "deleted" }, true],
  ["whose manifest changed is forgotten, for the new one", { kind: "replaced" }, true],
  ["that no source wants is forgotten", { kind: "orphaned" }, true],
  ["that goes with the agent is forgotten", { kind: "shutdown" }, true],
  ["that was evicted stays listed as Failed", { kind: "evicted", by: "eviction", ...words }, false],
  ["that was not let in again stays listed as Failed", { kind: "rejected", ...words }, false],
  ["whose deadline passed stays listed as Failed", { kind: "deadline" }, false],
  ["that has done its work stays listed", { kind: "completed" }, false],
])("a pod %s", (_, cause, forgotten) => expect(isRemoval(cause)).toBe(forgotten));
