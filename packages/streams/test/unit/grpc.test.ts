import { expect, test } from "@jest/globals";
import { decoded } from "../../src/grpc.js";

test.each([
  { name: "percent signs stand for bytes", given: "gr%C3%BCn%20%25", text: "gr\u00fcn %" },
  { name: "what is no number stays", given: "100% %zz %4", text: "100% %zz %4" },
  { name: "half a character is replaced", given: "%C3", text: "\ufffd" },
  { name: "no text", given: undefined, text: "" },
])("the text of an error: $name", ({ given, text }) => {
  expect(decoded(given)).toBe(text);
});
