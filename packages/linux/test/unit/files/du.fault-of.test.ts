import { expect, test } from "@jest/globals";
import { faultOf } from "../../../src/files/du.js";

const gone = "du: cannot access '/a/b': No such file or directory";
const stale = "du: cannot access '/a/c': Stale file handle";
const denied = "du: cannot read directory '/a/d': Permission denied";
const brokenOff = "du: fts_read failed: /a: No such file or directory";

test.each([
  ["nothing", "", undefined],
  ["files that went meanwhile", `${gone}\n${stale}\n`, undefined],
  ["another complaint", `${gone}\n${denied}\n${stale}\n`, denied],
  ["the first of two", `${denied}\n${brokenOff}\n`, denied],
  ["a count that broke off, for whatever reason", `${gone}\n${brokenOff}\n`, brokenOff],
  [
    "a name in the middle of a complaint",
    "du: cannot read ': Stale file handle/x': Permission denied\n",
    "du: cannot read ': Stale file handle/x': Permission denied",
  ],
])("of du's complaints %s is a fault", (_, complaints, fault) => expect(faultOf(complaints)).toBe(fault));
