/** Vectors for the tests of a mutation run: each case is a test of its own, so that only those are put to a mutant that reach it. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { adapters } from "../../conformance/adapters/index.js";
import { check, oracleAnswers, reasonToSkip } from "../../conformance/runner.js";
import { readVectorFiles } from "../../conformance/vector-file.js";

const topics = (process.env.HOOKLET_MUTANTS_TOPICS ?? "").split(" ").filter((word) => word !== "");
const all = await readVectorFiles(fileURLToPath(new URL("../../conformance/vectors", import.meta.url)));
const computed = oracleAnswers(all);

for (const file of all.filter((one) => topics.some((topic) => one.topic.startsWith(topic)))) {
  const adapter = adapters[file.topic];
  if (adapter === undefined) continue;
  describe(`vectors ${file.file}`, () => {
    for (const [index, one] of file.cases.entries()) {
      if (reasonToSkip(file, one, computed) !== undefined) continue;
      test(`${index} ${one.name}`, async () => expect(await check(adapter, file, one, 5_000)).toEqual([]));
    }
  });
}
