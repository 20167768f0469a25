import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../../sources.js";

interface Manifest {
  readonly name: string;
  readonly keywords?: readonly string[];
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string };
  readonly homepage?: string;
  readonly bugs?: string;
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const read = (...file: string[]): Manifest => JSON.parse(readFileSync(path.join(root, ...file), "utf8"));
const folders = readdirSync(path.join(root, "packages"));
const manifests = folders.map((folder) => read("packages", folder, "package.json"));

test("plugins, runtimes, the simulated node and the test kit take the core that is there: a second one in one process is refused", () => {
  const guests = manifests.filter(({ name }) => /^@hooklet\/(plugin-|runtime-|source-|sim$|testkit$)/.test(name));
  expect(guests.length).toBeGreaterThan(8);
  const wrong = guests.filter(
    ({ dependencies = {}, peerDependencies = {} }) =>
      "@hooklet/core" in dependencies || !("@hooklet/core" in peerDependencies),
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test.each(folders)("%s says where it comes from, as scripts/package-fields.mjs writes it", (folder) => {
  const { repository, homepage = "", bugs } = read("package.json");
  const own = read("packages", folder, "package.json");
  expect(own).toMatchObject({
    repository: { ...repository, directory: `packages/${folder}` },
    homepage: `${homepage.replace(/#.*$/, "")}/tree/main/packages/${folder}#readme`,
    bugs,
    publishConfig: { access: "public", provenance: true },
  });
  expect(own.keywords).toContain("kubernetes");
  expect(own.files).toContain("!dist/**/*.map");
  expect(existsSync(path.join(root, "packages", folder, "README.md"))).toBe(true);
});
