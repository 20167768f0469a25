import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { withGenerated } from "@hooklet/config";
import { expect, test } from "@jest/globals";
import { candidateTables } from "../../../scripts/candidate-tables.mjs";
import { root } from "../../sources.js";

test("docs/reference/plugins.md has the fields of every strategy's input, as the types have them", async () => {
  const page = await readFile(path.join(root, "docs/reference/plugins.md"), "utf8");
  const tables = await candidateTables(pathToFileURL(`${root}/`));
  const renew = "node scripts/generate-docs.mjs";
  expect({ renew, page }).toEqual({ renew, page: withGenerated(page, "strategy inputs", tables) });
  expect(tables).toMatch(/\| `requests` \|.*milli-cores.*bytes/);
  expect(tables).toContain("| `excess` | `number` |");
});
