import { expect, test } from "@jest/globals";
import { healthText } from "../../src/app.js";

const good = { name: "runtime sample", ok: true };
const noted = { name: "node", ok: true, message: "Ready: fine" };
const bad = { name: "plugin probe", ok: false, message: "no disk" };
const silent = { name: "sources", ok: false };

test("what is well is ok, or a line for each part where that is asked for", () => {
  const report = { ok: true, parts: [good, noted] };
  expect(healthText("healthz", report, false)).toBe("ok");
  expect(healthText("healthz", report, true)).toBe(
    "[+]runtime sample ok\n[+]node ok: Ready: fine\nhealthz check passed\n",
  );
});

test.each([true, false])("what fails has a line for each part, verbose %s", (verbose) => {
  expect(healthText("readyz", { ok: false, parts: [good, bad, silent] }, verbose)).toBe(
    "[+]runtime sample ok\n[-]plugin probe failed: no disk\n[-]sources failed: no reason given\nreadyz check failed\n",
  );
});
