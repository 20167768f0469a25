/** What is published, installed as people do it: into npm's global folder, and by the Nodes that come after the oldest one. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";
import { install, npm, packed } from "../../support/packed.js";

const run = promisify(execFile);
const LONG = 300_000;

let folder: string;
let tarballs: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-pack-"));
  tarballs = await packed(folder);
}, LONG);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("npm's global folder", () => {
  test(
    "the line of docs/how-to/install.md for tarballs removes what they brought, and nothing else",
    async () => {
      const prefix = path.join(folder, "global");
      const env = { ...process.env, npm_config_prefix: prefix };
      const modules = path.join(prefix, "lib/node_modules");
      await mkdir(path.join(modules, "other"), { recursive: true });
      await writeFile(path.join(modules, "other/package.json"), '{"name":"other","version":"1.0.0"}');
      await npm(folder, process.execPath, ["install", "--global", "--prefix", prefix, ...tarballs]);
      expect(await readdir(modules)).toEqual(expect.arrayContaining(["@hooklet", "hooklet", "other"]));
      const page = await readFile(path.join(root, "docs/how-to/install.md"), "utf8");
      const [, line = "no line"] = /^(.*npm uninstall --global hooklet \$.*)$/m.exec(page) ?? [];
      await run("sh", ["-c", line], { env, cwd: folder });
      const left = (await readdir(prefix, { recursive: true, withFileTypes: true })).filter(
        (one) => !one.isDirectory(),
      );
      expect(left.map((one) => path.join(one.parentPath, one.name))).toEqual([
        path.join(modules, "other/package.json"),
      ]);
    },
    LONG,
  );
});

describe.each([22, 24])("Node %i", (version) => {
  test(
    "npm installs it with --engine-strict and without a warning, and it checks a configuration",
    async () => {
      const nodes = path.join(folder, `node-${version}`);
      await mkdir(nodes);
      await npm(nodes, process.execPath, [
        "install",
        "--prefix",
        nodes,
        `node-${process.platform}-${process.arch}@${version}`,
      ]);
      const node = path.join(nodes, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
      const place = path.join(folder, `on-${version}`);
      const said = await install(place, tarballs, node);
      expect(said).not.toMatch(/warn|deprecated|EBADENGINE/i);
      await writeFile(
        path.join(place, "rc.ts"),
        'import { defineConfig } from "@hooklet/core";\nexport default defineConfig({ port: 0 as number });\n',
      );
      const args = [path.join(place, "node_modules/hooklet/bin/hooklet.js"), "check", "--config", "rc.ts"];
      const { stdout, stderr } = await run(node, args, { cwd: place });
      expect(stdout).toMatch(/^port +0 /m);
      expect(stderr).toBe("");
    },
    LONG,
  );
});
