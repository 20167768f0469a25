import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { withGenerated } from "@hooklet/config";
import { expect, test } from "@jest/globals";
import { memberTables } from "../../../scripts/member-tables.mjs";
import { root } from "../../sources.js";

const tables = await memberTables(pathToFileURL(`${root}/`));
const page = await readFile(path.join(root, "docs/reference/plugins.md"), "utf8");

test.each(Object.entries(tables))(
  "docs/reference/plugins.md has the members of %s, as the types have them",
  (section, table) => {
    const renew = "node scripts/generate-docs.mjs";
    expect({ renew, page }).toEqual({ renew, page: withGenerated(page, section, table) });
  },
);

test.each([
  ["ctx", "| `checkpoint` | `(name: string) => Checkpoint` |"],
  ["ctx", "| `addSource` |"],
  ["podAdmit", "| `postpone` |"],
  ["podAdmit", "| `admitted` | `boolean` |"],
  ["containerStart", "| `setResource` |"],
  ["meta and what start returns", "| `stop?` |"],
  ["strategy inputs", "| `excess` | `number` |"],
])("%s has %s", (section, row) => {
  expect(tables[section]).toContain(row);
});

test("a pod ends for the causes that the page lists", async () => {
  const types = await readFile(path.join(root, "packages/core/src/hooks/termination.ts"), "utf8");
  const kinds = [...types.matchAll(/readonly kind: "(\w+)"/g)].map(([, kind]) => kind);
  const [row = ""] = /\| `cause` .*/.exec(tables.podTerminate ?? "") ?? [];
  expect([...row.matchAll(/`(\w+)`/g)].map(([, word]) => word).slice(2)).toEqual(kinds);
});

test("each member has a meaning", () => {
  const empty = Object.values(tables).flatMap((table) => table.split("\n").filter((line) => line.endsWith("|  |")));
  expect(empty).toEqual([]);
});
