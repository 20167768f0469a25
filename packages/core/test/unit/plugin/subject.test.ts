import { expect, test } from "@jest/globals";
import { containerSubject, podSubject } from "../../../src/plugin/subject.js";
import { aPod } from "../../pod/pods.js";

test("subjects of decisions name the pod in full", () => {
  expect(podSubject(aPod())).toBe("pod/default/web-node1");
  expect(containerSubject(aPod(), "main")).toBe("container/default/web-node1/main");
});
