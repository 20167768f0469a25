import { expect, test } from "@jest/globals";
import { podsMeant } from "../../../src/agent/pods-meant.js";

test.each<[string, string, readonly string[]]>([
  ["a pod by its name", "web", ["default/web"]],
  ["a pod by namespace and name", "default/web", ["default/web"]],
  ["a pod of a file by the name in its manifest, where no pod has that name", "db", ["default/db-node1"]],
  ["a pod of a file by its whole name", "web-node1", ["default/web-node1"]],
  ["no pod of another namespace", "kube-system/web", []],
  ["no pod whose name ends alike", "eb", []],
])("a name means %s", (_, name, meant) => {
  expect(podsMeant(["default/web", "default/web-node1", "default/db-node1"], name, "node1")).toEqual(meant);
});
