import { describe, expect, test } from "@jest/globals";
import { isAbout, podOf, standing } from "../../../src/agent/reports.js";
import { initialState } from "../../../src/pod/state.js";
import { aPod } from "../../pod/pods.js";

describe("hooklet explain KIND NAME finds what was decided about", () => {
  test.each<[string, string, string, string]>([
    ["a container by its name", "container/default/web-node1/main", "container", "main"],
    ["a container by pod and name", "container/default/web-node1/main", "container", "web-node1/main"],
    ["an image by its whole name", "image/docker.io/library/web:1", "image", "docker.io/library/web:1"],
    ["an image by the end of its name", "image/docker.io/library/web:1", "image", "web:1"],
  ])("%s", (_, subject, kind, name) => expect(isAbout(subject, kind, name)).toBe(true));

  test.each<[string, string, string, string]>([
    ["something of another kind", "image/web", "container", "web"],
    ["an image whose name only ends alike", "image/docker.io/library/my-web:1", "image", "web:1"],
  ])("and not %s", (_, subject, kind, name) => expect(isAbout(subject, kind, name)).toBe(false));
});

test("decisions about a pod and about its containers are the pod's; those about an image are no pod's", () => {
  expect(["pod/default/web", "container/default/web/main", "image/web"].map(podOf)).toEqual([
    "default/web",
    "default/web",
    undefined,
  ]);
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
