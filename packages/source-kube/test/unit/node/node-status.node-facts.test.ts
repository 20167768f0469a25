import { expect, test } from "@jest/globals";
import { shownVersion } from "../../../src/node/node-status.js";

test.each([
  { reported: "1.6.20~ds1", shown: "1.6.20", why: "Debian's: no semantic version" },
  { reported: "v2.1.4", shown: "2.1.4", why: "containerd says v" },
  { reported: "1.7.0-rc.1+build.5", shown: "1.7.0-rc.1+build.5", why: "a semantic version is shown whole" },
  { reported: "1.30", shown: "1.30", why: "CRI-O's may have two numbers" },
  { reported: "1.30-dev", shown: "1.30", why: "two numbers and more is no semantic version" },
  { reported: "unknown", shown: "unknown", why: "no number at all" },
])("the runtime's version $reported is shown as $shown: $why", ({ reported, shown }) => {
  expect(shownVersion(reported)).toBe(shown);
});
