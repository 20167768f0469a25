import { deflateSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { spdyDictionary } from "../../../src/streams/spdy-dictionary.js";

test("the dictionary is that of SPDY/3: zlib writes its checksum before what it compresses with it", () => {
  const dictionary = spdyDictionary();
  expect(dictionary).toHaveLength(1423);
  expect(deflateSync(Buffer.from("x"), { dictionary }).subarray(2, 6).toString("hex")).toBe("e3c6a7c2");
});
