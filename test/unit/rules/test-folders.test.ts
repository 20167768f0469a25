/** A test lies where its source lies, and its folder says what kind of test it is (jest.config.js). */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../../sources.js";

const tests = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.test.ts"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file !== "" && existsSync(path.join(root, file)));

test("each test lies in a folder of its kind: unit, real or deep", () => {
  const kinds = /^(?:packages\/[^/]+\/)?test\/(?:unit|real|deep)\//;
  const others = tests.filter((file) => !kinds.test(file) && !/^(?:conformance|fuzz|examples)\//.test(file));
  expect(others).toEqual([]);
});

test("a unit test mirrors a source: src/a/b.ts has test/unit/a/b.test.ts; what tests several files lies in test/unit/rules", () => {
  const stray = tests.filter((file) => {
    const [, name, place = ""] = /^packages\/([^/]+)\/test\/unit\/(.+)\.test\.ts$/.exec(file) ?? [];
    if (name === undefined || place.startsWith("rules/")) return false;
    // `b.property.test.ts`, `b.damaged.test.ts`: another file of tests for src/a/b.ts.
    return ![place, place.replace(/\.[\w-]+$/, "")].some((source) =>
      existsSync(path.join(root, "packages", name, "src", `${source}.ts`)),
    );
  });
  expect(stray).toEqual([]);
});
