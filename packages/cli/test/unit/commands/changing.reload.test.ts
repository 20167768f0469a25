import { expect, test } from "@jest/globals";
import { aPod } from "../../../../server/test/samples.js";
import { reloadedText } from "../../../src/commands/changing.js";

const pod = (name: string, phase: string, reason?: string) =>
  aPod(name, { metadata: { uid: name }, status: { phase, ...(reason !== undefined && { reason }) } });

const before = [pod("a", "Running"), pod("b", "Running"), pod("c", "Failed", "Evicted"), pod("d", "Pending")];

test("a reload that ends no pod says so", () => {
  expect(reloadedText(before, before)).toBe("The agent has reloaded its configuration; the pods run on.");
});

test("a reload names each pod that it ended, with its reason", () => {
  const after = [
    pod("a", "Failed", "Preempting"),
    pod("b", "Running"),
    pod("c", "Failed", "Evicted"),
    pod("d", "Failed"),
  ];
  expect(reloadedText(before, after)).toBe(
    "The agent has reloaded its configuration. It ended 2 pods: default/a (Preempting), default/d (Failed). The others run on.",
  );
  expect(reloadedText(before, [pod("a", "Failed", "OutOfpods")])).toContain("It ended a pod: default/a (OutOfpods).");
});
