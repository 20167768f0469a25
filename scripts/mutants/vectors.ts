/** Vectors for the tests of a mutation run: each case is a test of its own, so that only those are put to a mutant that reach it. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import type { AnyAdapter } from "../../conformance/adapter.js";
import { check, oracleAnswers, reasonToSkip } from "../../conformance/check.js";
import { readVectorFiles } from "../../conformance/vector-file.js";

const topics = (process.env.HOOKLET_MUTANTS_TOPICS ?? "").split(" ").filter((word) => word !== "");
const all = await readVectorFiles(fileURLToPath(new URL("../../conformance/vectors", import.meta.url)));
const computed = oracleAnswers(all);

/** Most have a file of their own, which loads one package; the table of all loads every one. */
async function adapterOf(topic: string): Promise<AnyAdapter | undefined> {
  const folder = "../../conformance/adapters";
  const hasOwn = existsSync(new URL(`${folder}/${topic}.ts`, import.meta.url));
  if (hasOwn) return ((await import(`${folder}/${topic}.js`)) as { readonly adapter: AnyAdapter }).adapter;
  const { adapters } = (await import("../../conformance/adapters/index.js")) as {
    readonly adapters: Readonly<Record<string, AnyAdapter>>;
  };
  return adapters[topic];
}

for (const file of all.filter((one) => topics.some((topic) => one.topic.startsWith(topic)))) {
  const adapter = await adapterOf(file.topic);
  if (adapter === undefined) continue;
  describe(`vectors ${file.file}`, () => {
    for (const [index, one] of file.cases.entries()) {
      if (reasonToSkip(file, one, computed) !== undefined) continue;
      test(`${index} ${one.name}`, async () => expect(await check(adapter, file, one, 5_000)).toEqual([]));
    }
  });
}
