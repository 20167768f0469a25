import { expect, test } from "@jest/globals";
import { NodeAdditions } from "../../../src/node/additions.js";

const own = { labels: { "kubernetes.io/os": "linux" }, taints: [{ key: "a", effect: "NoSchedule" as const }] };

function additions() {
  let changes = 0;
  const all = new NodeAdditions(own, () => {
    changes += 1;
  });
  return { all, changes: () => changes };
}

test("labels and taints of plugins stand beside the node's own; a plugin's later ones replace its earlier", () => {
  const { all, changes } = additions();
  all.setLabels("one", { x: "1", y: "" });
  all.setLabels("two", { z: "3" });
  all.setLabels("one", { x: "2" });
  all.setTaints("one", [{ key: "b", value: "v", effect: "NoExecute" }]);
  all.setTaints("one", [{ key: "a", effect: "PreferNoSchedule" }]);
  expect(all.labels()).toEqual({ "kubernetes.io/os": "linux", x: "2", z: "3" });
  expect(all.taints()).toEqual([...own.taints, { key: "a", effect: "PreferNoSchedule" }]);
  expect(changes()).toBe(5);
});

test.each<[string, (all: NodeAdditions) => void, RegExp]>([
  ["a label of the node", (all) => all.setLabels("two", { "kubernetes.io/os": "x" }), /label kubernetes.io\/os.*two/],
  ["a label of another plugin", (all) => all.setLabels("two", { x: "2" }), /label x.*one.*two/],
  [
    "a taint of the node",
    (all) => all.setTaints("two", [{ key: "a", effect: "NoSchedule" }]),
    /taint a:NoSchedule.*two/,
  ],
  [
    "a taint of another plugin",
    (all) => all.setTaints("two", [{ key: "b", value: "y", effect: "NoExecute" }]),
    /taint b:NoExecute.*one.*two/,
  ],
])("%s is taken", (_name, set, message) => {
  const { all, changes } = additions();
  all.setLabels("one", { x: "1" });
  all.setTaints("one", [{ key: "b", effect: "NoExecute" }]);
  const before = [all.labels(), all.taints()];
  expect(() => set(all)).toThrow(
    expect.objectContaining({ code: "CLAIM_CONFLICT", message: expect.stringMatching(message) }),
  );
  expect([all.labels(), all.taints(), changes()]).toEqual([...before, 2]);
});

test.each<[string, (all: NodeAdditions) => void, string]>([
  [
    "a label's name",
    (all) => all.setLabels("p", { "a b": "" }),
    'setLabels: expected names such as "vendor.example/model", found "a b".',
  ],
  [
    "a label's value",
    (all) => all.setLabels("p", { a: "b c" }),
    `setLabels: "a": expected a label's value of at most 63 characters, found "b c".`,
  ],
  [
    "a taint's key",
    (all) => all.setTaints("p", [{ key: "", effect: "NoExecute" }]),
    'setTaints: expected keys such as "node.example/maintenance", found "".',
  ],
  [
    "a taint's value",
    (all) => all.setTaints("p", [{ key: "a", value: "-", effect: "NoExecute" }]),
    'setTaints: "a": expected a value of at most 63 characters, found "-".',
  ],
  [
    "a taint's effect",
    (all) => all.setTaints("p", [{ key: "a", effect: "Never" as never }]),
    'setTaints: effect of "a": expected NoSchedule, PreferNoSchedule, NoExecute, found "Never".',
  ],
])("%s has a form", (_name, set, message) => {
  expect(() => set(additions().all)).toThrow(expect.objectContaining({ code: "INVALID", message }));
});
