import { expect, test } from "@jest/globals";
import { imageRows, viewRows } from "../../../src/print/node-text.js";

test.each([
  [undefined, "<none>"],
  [null, "<none>"],
  ["", "<none>"],
  [0, "0"],
  [false, "false"],
  ["a", "a"],
  [["a", 1], "a,1"],
  [[], "<none>"],
  [[{ a: 1 }], '[{"a":1}]'],
  [["a", null], '["a",null]'],
  [{ a: 1 }, '{"a":1}'],
])("the cell %j of a plugin's table is %s", (value, text) => {
  const row = value === undefined ? {} : { name: value };
  expect(viewRows([{ name: "name" }], [row], false)).toEqual({ head: ["NAME"], rows: [[text]] });
});

const image = {
  id: "sha256:0123456789abcdef",
  repoTags: ["web:1"],
  repoDigests: ["web@sha256:2", "b"],
  size: 5,
  pinned: true,
};

test("wide, an image has its whole id, whether it is pinned, and its digests", () => {
  const images = [image, { ...image, repoTags: [], repoDigests: [], pinned: false }];
  expect(imageRows(images, true)).toEqual({
    head: ["NAME", "IMAGE ID", "SIZE", "PINNED", "DIGESTS"],
    rows: [
      ["web:1", "sha256:0123456789abcdef", "5B", "yes", "web@sha256:2,b"],
      ["<none>", "sha256:0123456789abcdef", "5B", "no", "<none>"],
    ],
  });
});

test("an image without a name is a row all the same", () => {
  expect(imageRows([{ ...image, repoTags: [] }], false).rows).toEqual([["<none>", "0123456789ab", "5B"]]);
});
