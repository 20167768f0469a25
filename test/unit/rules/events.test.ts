/** docs/reference/events.md has each reason that the sources give an event. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { packageSources, root } from "../../sources.js";

test("docs/reference/events.md has every reason of an event", () => {
  const page = readFileSync(path.join(root, "docs/reference/events.md"), "utf8");
  const reasons = packageSources().flatMap(({ text }) =>
    [...text.matchAll(/"(?:Normal|Warning)",\s*"([A-Z]\w+)"[,)]/g)].map(([, reason = ""]) => reason),
  );
  expect(new Set(reasons).size).toBeGreaterThan(40);
  expect([...new Set(reasons)].filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
});
