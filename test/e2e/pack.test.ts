import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../sources.js";

const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-pack-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("what is published installs into an empty folder and runs a pod", async () => {
  const packages = await readdir(path.join(root, "packages"));
  for (const name of packages) {
    await run("npx", ["--yes", "pnpm@12", "pack", "--pack-destination", folder], {
      cwd: path.join(root, "packages", name),
    });
  }
  const tarballs = (await readdir(folder)).filter((file) => file.endsWith(".tgz"));
  expect(tarballs).toHaveLength(packages.length);
  const place = path.join(folder, "empty");
  const manifests = path.join(place, "manifests");
  await mkdir(manifests, { recursive: true });
  await writeFile(path.join(place, "package.json"), JSON.stringify({ name: "empty", private: true }));
  const files = tarballs.map((file) => path.join(folder, file));
  const installed = await run("npm", ["install", "--engine-strict", "--no-audit", "--no-fund", ...files], {
    cwd: place,
  });
  expect(installed.stderr).not.toMatch(/EBADENGINE|deprecated/);
  await shipsWhatItNames(place);
  await writeFile(
    path.join(manifests, "job.yaml"),
    `
apiVersion: v1
kind: Pod
metadata: { name: job }
spec: { restartPolicy: Never, containers: [{ name: main, image: host, command: [echo, hello] }] }
`,
  );
  const hooklet = path.join(place, "node_modules/.bin/hooklet");
  const args = ["run", "--once", "--manifests", manifests, "--root-dir", path.join(place, "root"), "--port", "0"];
  const { stdout } = await run(hooklet, args, { cwd: place });
  expect(stdout).toMatch(/job-\S+\s+0\/1\s+Completed/);
  await refusesASecondCore(place, hooklet);
}, 300_000);

/** Documents and schema are in the package; nothing points to sources that are not. */
async function shipsWhatItNames(place: string): Promise<void> {
  const own = path.join(place, "node_modules/hooklet");
  expect(await readdir(path.join(own, "docs"))).toEqual(["hardening.md", "metrics.md", "plugins.md", "rc-file.md"]);
  expect(await readdir(own)).toContain("hookletrc.schema.json");
  const core = await readdir(path.join(place, "node_modules/@hooklet/core/dist"), { recursive: true });
  expect(core.filter((file) => file.endsWith(".map"))).toEqual([]);
}

/** A plugin whose package has core among its own dependencies, as npm nests it when versions differ. */
async function refusesASecondCore(place: string, hooklet: string): Promise<void> {
  const first = path.join(place, "node_modules/@hooklet/core");
  const second = path.join(place, "plugins/node_modules/@hooklet/core");
  await cp(first, second, { recursive: true });
  await writeFile(
    path.join(place, "plugins/own.mjs"),
    'import { definePlugin } from "@hooklet/core";\nexport default definePlugin({ meta: { name: "own", api: 1 }, start() {} });\n',
  );
  await writeFile(path.join(place, "rc.yaml"), "plugins: [./plugins/own.mjs]\n");
  const { stderr } = await run(hooklet, ["check", "--config", "rc.yaml"], { cwd: place }).catch((error) => error);
  expect(stderr).toContain(
    `@hooklet/core is loaded 2 times: expected one copy in the process, found ${first}/ and ${second}/.`,
  );
}
