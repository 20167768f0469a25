import { describe, expect, test } from "@jest/globals";
import { isAbout, isPod, standing } from "../../../src/agent/explained.js";
import { initialState } from "../../../src/pod/state.js";
import { aPod } from "../../pod/pods.js";

const NODE = "node1";

describe("hooklet explain KIND NAME finds what was decided about", () => {
  test.each<[string, string, string, string]>([
    ["a pod by its full name", "pod/default/web-node1", "pod", "default/web-node1"],
    ["a pod by its name", "pod/default/web-node1", "pod", "web-node1"],
    ["a static pod by the name in its manifest", "pod/default/web-node1", "pod", "web"],
    ["a static pod by namespace and the name in its manifest", "pod/default/web-node1", "pod", "default/web"],
    ["the containers of a pod", "container/default/web-node1/main", "pod", "web"],
    ["a container by its name", "container/default/web-node1/main", "container", "main"],
    ["a container by pod and name", "container/default/web-node1/main", "container", "web-node1/main"],
    ["an image by its whole name", "image/docker.io/library/web:1", "image", "docker.io/library/web:1"],
    ["an image by the end of its name", "image/docker.io/library/web:1", "image", "web:1"],
  ])("%s", (_, subject, kind, name) => expect(isAbout(subject, kind, name, NODE)).toBe(true));

  test.each<[string, string, string, string]>([
    ["another pod whose name ends alike", "pod/default/my-web", "pod", "web"],
    ["the same name in another namespace", "pod/kube-system/web", "pod", "default/web"],
    ["a container that is named as the pod that is meant", "container/default/other/web", "pod", "web"],
    ["something of another kind", "image/web", "container", "web"],
    ["something of another kind, asked for as a pod", "image/web", "pod", "web"],
    ["an image whose name only ends alike", "image/docker.io/library/my-web:1", "image", "web:1"],
  ])("and not %s", (_, subject, kind, name) => expect(isAbout(subject, kind, name, NODE)).toBe(false));
});

test.each([
  { name: "web-node1", is: true },
  { name: "web", is: true },
  { name: "default/web", is: true },
  { name: "kube-system/web", is: false },
  { name: "eb", is: false },
])("a static pod of this node is meant by $name: $is", ({ name, is }) => {
  expect(isPod(aPod({}, { name: "web-node1" }), name, NODE)).toBe(is);
});

test("core reports where a pod stands, at that moment, with nothing considered", () => {
  expect(standing(initialState(aPod(), 0, 0), { now: 0, wall: 1_000 })).toEqual([
    {
      at: 1_000,
      plugin: "core",
      strategy: "now",
      subject: "pod/default/web-node1",
      considered: [],
      outcome: "waits for its turn to be admitted",
    },
  ]);
});
