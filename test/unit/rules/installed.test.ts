/** `npm start` the second time: nothing is installed that is there already. */
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { isInstalled } from "../../../scripts/installed.mjs";

let root: string;
const at = (name: string): string => path.join(root, name);

/** As pnpm leaves it: two packages, one of which has dependencies. */
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "hk-installed-"));
  for (const folder of ["node_modules/.pnpm", "packages/a/node_modules", "packages/b"])
    await mkdir(at(folder), { recursive: true });
  for (const file of ["pnpm-lock.yaml", "node_modules/.pnpm/lock.yaml"]) await writeFile(at(file), "one: 1\n");
  await writeFile(at("pnpm-workspace.yaml"), "packages: [packages/*]\n");
  await writeFile(at("package.json"), JSON.stringify({ devDependencies: { a: "1" } }));
  await writeFile(at("packages/a/package.json"), JSON.stringify({ dependencies: { c: "1" } }));
  await writeFile(at("packages/b/package.json"), "{}");
  const projects = Object.fromEntries([root, at("packages/a"), at("packages/b")].map((folder) => [folder, {}]));
  const state = { lastValidatedTimestamp: Date.now() + 1_000, projects };
  await writeFile(at("node_modules/.pnpm-workspace-state-v1.json"), JSON.stringify(state));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("what pnpm has installed and was not changed is installed", () => {
  expect(isInstalled(root)).toBe(true);
});

const later = new Date(Date.now() + 3_600_000);

test.each<{ name: string; change: () => Promise<unknown> }>([
  { name: "nothing is there", change: () => rm(at("node_modules"), { recursive: true }) },
  { name: "the lockfile says another thing", change: () => writeFile(at("pnpm-lock.yaml"), "one: 2\n") },
  { name: "a package's file was changed since", change: () => utimes(at("packages/b/package.json"), later, later) },
  { name: "the workspace's file was changed since", change: () => utimes(at("pnpm-workspace.yaml"), later, later) },
  { name: "a package is gone", change: () => rm(at("packages/b"), { recursive: true }) },
  { name: "a package's modules are gone", change: () => rm(at("packages/a/node_modules"), { recursive: true }) },
  { name: "pnpm's note is cut", change: () => writeFile(at("node_modules/.pnpm-workspace-state-v1.json"), '{"proj') },
  {
    name: "pnpm's note says no time",
    change: () =>
      writeFile(
        at("node_modules/.pnpm-workspace-state-v1.json"),
        JSON.stringify({ projects: Object.fromEntries([[root, {}]]) }),
      ),
  },
  {
    name: "it was installed in another place",
    change: () =>
      writeFile(
        at("node_modules/.pnpm-workspace-state-v1.json"),
        JSON.stringify({ lastValidatedTimestamp: later.getTime(), projects: { "/elsewhere": {} } }),
      ),
  },
])("not so where $name", async ({ change }) => {
  await change();
  expect(isInstalled(root)).toBe(false);
});
