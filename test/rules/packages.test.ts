import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../sources.js";

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifests = readdirSync(path.join(root, "packages")).map(
  (folder): Manifest => JSON.parse(readFileSync(path.join(root, "packages", folder, "package.json"), "utf8")),
);

test("plugins, runtimes and the test kit take the core that is there: a second one in one process is refused", () => {
  const guests = manifests.filter(({ name }) => /^@hooklet\/(plugin-|runtime-|source-|testkit$)/.test(name));
  expect(guests.length).toBeGreaterThan(8);
  const wrong = guests.filter(
    ({ dependencies = {}, peerDependencies = {} }) =>
      "@hooklet/core" in dependencies || !("@hooklet/core" in peerDependencies),
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
