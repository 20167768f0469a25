/** What is published, installed as people do it: into npm's global folder, and by the Nodes that come after the oldest one. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
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

describe("the release tarball", () => {
  test(
    "unpacked and installed where no Node is, it runs a pod, and a second run of install.sh replaces what is there",
    async () => {
      await run("npm", ["run", "release:tarball", folder], { cwd: root });
      const file = (await readdir(folder)).find((name) => name.startsWith("hooklet-")) ?? "none";
      await run("tar", ["-xzf", path.join(folder, file), "-C", folder]);
      const bare = path.join(folder, "bare");
      await mkdir(bare);
      const commands = ["sh", "basename", "cp", "dirname", "gzip", "ln", "mkdir", "mv", "readlink", "rm"];
      for (const command of commands)
        await symlink((await run("which", [command])).stdout.trim(), path.join(bare, command));
      const prefix = path.join(folder, "prefix");
      const env = { PATH: bare, PREFIX: prefix };
      const script = path.join(folder, file.replace(/\.tar\.gz$/, ""), "install.sh");
      for (let turn = 0; turn < 2; turn++) {
        const { stdout } = await run("sh", [script], { env });
        expect(stdout).toMatch(/^Installed \d+\.\d+\.\d+ to /);
      }
      const installed = path.join(prefix, "bin/hooklet");
      const manifest = path.join(folder, "pod.yaml");
      const containers = [{ name: "main", image: "host", command: ["/bin/sh", "-c", "echo it ran"] }];
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "a" },
        spec: { restartPolicy: "Never", containers },
      };
      await writeFile(manifest, JSON.stringify(pod));
      const { stdout } = await run(installed, [
        "run",
        "--once",
        "--manifests",
        manifest,
        "--port",
        "0",
        "--root-dir",
        path.join(folder, "root"),
      ]);
      expect(stdout).toMatch(/^a-\S+ .* Completed /m);
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
