import { expect, test } from "@jest/globals";
import { shownVersion } from "../../../src/node/node-facts.js";

test.each([
  { told: "1.6.20~ds1", shown: "1.6.20", why: "Debian's: no semantic version" },
  { told: "v2.1.4", shown: "2.1.4", why: "containerd says v" },
  { told: "1.7.0-rc.1+build.5", shown: "1.7.0-rc.1+build.5", why: "a semantic version is shown whole" },
  { told: "1.30", shown: "1.30", why: "CRI-O's may have two numbers" },
  { told: "1.30-dev", shown: "1.30", why: "two numbers and more is no semantic version" },
  { told: "unknown", shown: "unknown", why: "no number at all" },
])("the runtime's version $told is shown as $shown: $why", ({ told, shown }) => {
  expect(shownVersion(told)).toBe(shown);
});
