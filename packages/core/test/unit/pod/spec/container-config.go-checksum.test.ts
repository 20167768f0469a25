import { expect, test } from "@jest/globals";
import { goChecksum } from "../../../../src/pod/spec/container-config.js";

test("the checksum is FNV-1a of 32 bit over the bytes of UTF-8", () => {
  expect(goChecksum("")).toBe(2_166_136_261);
  expect(goChecksum("a")).toBe(0xe40c292c);
  expect(goChecksum("foobar")).toBe(0xbf9cf968);
  expect(goChecksum("ü")).not.toBe(goChecksum("u"));
});
