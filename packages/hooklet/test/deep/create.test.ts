import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { temporaryFolder } from "../../../server/test/start.js";
import { pluginFiles } from "../../src/commands/create/plugin-template.js";
import { type FakeIo, fakeIo, hooklet, type Result } from "../binary.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../../", import.meta.url));

async function folder(): Promise<{ path: string; hooklet(words: string): Promise<Result> }> {
  const path = await temporaryFolder();
  return { path, hooklet: (words) => hooklet(words, { ...fakeIo(), cwd: () => path } as FakeIo) };
}

/** As `npm install` links them. */
async function linkKit(own: string): Promise<void> {
  await mkdir(join(own, "node_modules/@hooklet"), { recursive: true });
  for (const name of [
    "core",
    "testkit",
    ...["preemption", "eviction", "imagegc", "devices"].map((one) => `plugin-${one}`),
  ])
    await symlink(join(root, "packages", name), join(own, "node_modules/@hooklet", name));
}

describe("create", () => {
  const points = ["victims", "ranking", "order", "allocation"];
  test.each(["plugin it", ...points.map((point) => `strategy it --for ${point}`)])(
    "%s: its test with the test kit passes, its scenario holds, and the rc file names it",
    async (words) => {
      const here = await folder();
      await writeFile(join(here.path, ".hookletrc.yaml"), "# mine\nport: 0 # none\n");
      expect(await here.hooklet(`create ${words}`)).toMatchObject({ code: 0, err: "" });
      await linkKit(join(here.path, "it"));
      const { stdout } = await run(process.execPath, ["--test"], {
        cwd: join(here.path, "it"),
        env: { PATH: process.env.PATH },
      });
      expect(stdout).toMatch(/fail 0/);
      const program = join(root, "packages/hooklet/bin/hooklet.js");
      const simulated = await run(program, ["simulate", "scenario.yaml"], { cwd: join(here.path, "it") });
      expect(simulated.stdout).toMatch(/(\d) of \1 expectations hold$/m);
      const rc = await readFile(join(here.path, ".hookletrc.yaml"), "utf8");
      expect(rc).toContain("# mine\nport: 0 # none");
      expect(JSON.stringify(parse(rc).plugins)).toContain("./it/index.js");
    },
  );

  test.each(["plugin it", ...points.map((point) => `strategy it --for ${point}`)])(
    "%s --ts: builds with a strict compiler, and its test passes",
    async (words) => {
      const here = await folder();
      await here.hooklet(`create ${words} --ts`);
      const own = join(here.path, "it");
      // Tests run on the sources; types of core are those that were built.
      const settings = await readFile(join(own, "tsconfig.json"), "utf8");
      await writeFile(join(own, "tsconfig.json"), settings.replaceAll("/src/index.d.ts", "/dist/index.d.ts"));
      await linkKit(own);
      await symlink(join(root, "node_modules/@types"), join(own, "node_modules/@types"));
      await run(join(root, "node_modules/.bin/tsc"), [], { cwd: own });
      const { stdout } = await run(process.execPath, ["--test", "dist/"], {
        cwd: own,
        env: { PATH: process.env.PATH },
      });
      expect(stdout).toMatch(/fail 0/);
    },
  );

  test.each(points)("the compiler refuses a wrong answer and a wrong option of strategy %s --ts", async (point) => {
    const here = await folder();
    await here.hooklet(`create strategy it --for ${point} --ts`);
    const own = join(here.path, "it");
    const settings = await readFile(join(own, "tsconfig.json"), "utf8");
    await writeFile(join(own, "tsconfig.json"), settings.replaceAll("/src/index.d.ts", "/dist/index.d.ts"));
    await linkKit(own);
    const main = join(own, "src/index.ts");
    const text = await readFile(main, "utf8");
    const [head = "", tail = ""] = text.split("  create:");
    const body = "({ lable }) => ({ candidates }) => candidates.map((one) => ({ id: one.oops }))";
    await writeFile(main, `${head}  create: ${body},${tail.slice(tail.indexOf("\n};"))}`);
    const compiler = join(root, "node_modules/.bin/tsc");
    const { stdout } = await run(compiler, ["--noEmit", "--types", ""], { cwd: own }).catch((error) => error);
    expect(stdout).toContain("Property 'lable' does not exist on type");
    expect(stdout).toContain("Property 'oops' does not exist on type");
    expect(stdout).toMatch(/src\/index\.ts\(\d+,\d+\): error TS2322/);
  });

  test("without a clone the plugin's test needs no package, and passes", async () => {
    const here = await folder();
    const typesOf = (name: string): string => name;
    const files = pluginFiles({ name: "it", isTypeScript: false, version: "1.2.3", typesOf, clone: undefined });
    for (const name of ["package.json", "index.js", "index.test.js"])
      await writeFile(join(here.path, name), files[name] ?? "");
    const { stdout } = await run(process.execPath, ["--test"], { cwd: here.path, env: { PATH: process.env.PATH } });
    expect(stdout).toMatch(/pass 2\n/);
  });
});
