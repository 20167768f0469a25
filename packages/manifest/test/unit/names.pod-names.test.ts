import { describe, expect, test } from "@jest/globals";
import { wrongName } from "../../src/names.js";

const metadata = { name: "web", namespace: "default", uid: "u" };

describe("the first invalid name is reported with its path, its value and the rule", () => {
  test.each([
    ["a good pod", { metadata, spec: { containers: [{ name: "c" }], volumes: null } }, undefined],
    ["no name", { metadata: { ...metadata, name: "" } }, 'metadata.name "": expected a name'],
    ["a name of another type", { metadata: { ...metadata, uid: 7 } }, 'metadata.uid "number": expected a name'],
    [
      "a path",
      { metadata: { ...metadata, namespace: "../x" } },
      expect.stringMatching(/^metadata\.namespace "\.\.\/x": a lowercase RFC 1123 label /),
    ],
    [
      "a long one, of which a part is shown",
      { metadata: { ...metadata, name: "X".repeat(300) } },
      expect.stringMatching(/^metadata\.name "X{100}\.\.\.": /),
    ],
    [
      "a container's",
      { metadata, spec: { containers: [{ name: "c" }, { name: "C" }] } },
      expect.stringMatching(/^spec\.containers\[1\]\.name "C": a lowercase RFC 1123 label /),
    ],
    [
      "a volume without one",
      { metadata, spec: { volumes: [{}] } },
      'spec.volumes[0].name "undefined": expected a name',
    ],
    ["what is no list", { metadata, spec: { initContainers: "x" } }, "spec.initContainers is no list"],
  ])("%s", (_what, pod, recorded) => {
    expect(wrongName(pod)).toEqual(recorded);
  });
});
