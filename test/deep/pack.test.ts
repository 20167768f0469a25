/** What is published: its tarballs, installed into empty folders as people do it. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { install, npm, packed } from "../support/packed.js";

const run = promisify(execFile);
const LONG = 300_000;

let folder: string;
let tarballs: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-pack-"));
  tarballs = await packed(folder);
}, LONG);

afterAll(() => rm(folder, { recursive: true, force: true }));

test(
  "nothing is published but the packages, and publint and attw find no fault with them",
  async () => {
    expect(tarballs).toHaveLength((await readdir(path.join(root, "packages"))).length);
    const script = path.join(root, "scripts/check-packages.mjs");
    const { stdout } = await run(process.execPath, [script, path.join(folder, "tarballs")]);
    expect(stdout).toBe(`${tarballs.length} packages, 0 faults\n`);
  },
  LONG,
);

describe("a registry on this machine", () => {
  interface Published {
    readonly name: string;
    readonly versions: Readonly<Record<string, { readonly peerDependencies?: object; readonly dependencies?: object }>>;
    readonly _attachments: object;
  }
  const published: Published[] = [];
  const registry = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      if (request.method === "PUT") published.push(JSON.parse(body) as Published);
      response.writeHead(request.method === "PUT" ? 201 : 404).end("{}");
    });
  });
  const pnpm = async (...args: readonly string[]): Promise<string> => {
    const { port } = registry.address() as AddressInfo;
    const words = ["--yes", "pnpm@12", ...args, `--registry=http://127.0.0.1:${port}/`];
    const { stdout, stderr } = await run("npx", words, { cwd: root });
    return `${stdout}${stderr}`;
  };
  beforeAll(() => new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void registry.close());

  test(
    "would get each package by the release command, and before it what it depends on",
    async () => {
      const said = await pnpm("run", "release", "--dry-run");
      const order = [...said.matchAll(/(\S+)@\d\S* \u2192/g)].map(([, name = ""]) => name);
      const folders = await readdir(path.join(root, "packages"));
      const manifests = await Promise.all(
        folders.map(async (name) =>
          JSON.parse(await readFile(path.join(root, "packages", name, "package.json"), "utf8")),
        ),
      );
      expect(order.toSorted()).toEqual(manifests.map(({ name }) => name).toSorted());
      for (const { name, dependencies = {} } of manifests) {
        const before = order.slice(0, order.indexOf(name));
        expect(before).toEqual(expect.arrayContaining(Object.keys(dependencies).filter((one) => order.includes(one))));
      }
      expect(published).toEqual([]);
    },
    LONG,
  );

  test(
    "gets a package that names versions, not places in this repository",
    async () => {
      await pnpm("--filter", "@hooklet/runtime-process", "publish", "--no-git-checks");
      const [{ name, versions, _attachments }] = published as [Published];
      expect(name).toBe("@hooklet/runtime-process");
      const [[version = "", manifest] = []] = Object.entries(versions);
      expect(manifest?.peerDependencies).toEqual({ "@hooklet/core": `^${version}` });
      expect(JSON.stringify(manifest)).not.toContain("workspace:");
      expect(Object.keys(_attachments)).toEqual([`@hooklet/runtime-process-${version}.tgz`]);
    },
    LONG,
  );
});

describe("an empty folder", () => {
  let place: string;
  let said: string;
  beforeAll(async () => {
    place = path.join(folder, "empty");
    said = await install(place, tarballs);
  }, LONG);

  test("npm has nothing to warn of", () => {
    expect(said).not.toMatch(/warn|deprecated|EBADENGINE/i);
  });

  test("it is small: at most 193 packages and 71 MB", async () => {
    const lock = JSON.parse(await readFile(path.join(place, "node_modules/.package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, unknown>>;
    };
    const packages = Object.keys(lock.packages).length;
    const megabytes = (await bytesIn(path.join(place, "node_modules"))) / 1e6;
    const page = await readFile(path.join(root, "docs/how-to/install.md"), "utf8");
    const [, reported, size] = /(\d+) packages, (\d+) MB/.exec(page) ?? [];
    // Not more than were asked for, whatever the page says.
    expect(packages).toBeLessThanOrEqual(193);
    expect(megabytes).toBeLessThanOrEqual(71);
    expect(packages - Number(reported)).toBeLessThanOrEqual(0);
    expect(megabytes - Number(size)).toBeLessThanOrEqual(1);
    // What others release may make it smaller; the page is to be right all the same.
    expect(packages - Number(reported)).toBeGreaterThanOrEqual(-3);
    expect(megabytes - Number(size)).toBeGreaterThanOrEqual(-4);
  });

  test("documents and schema are there; nothing points to sources that are not", async () => {
    const own = path.join(place, "node_modules/hooklet");
    expect(await readdir(path.join(own, "docs/reference"))).toEqual(["metrics.md", "plugins.md", "rc-file.md"]);
    expect(await readdir(path.join(own, "docs/explanation"))).toEqual(["hardening.md"]);
    expect(await readdir(own)).toContain("hookletrc.schema.json");
    for (const name of [".", ...(await readdir(path.join(place, "node_modules/@hooklet")))]) {
      const dist = name === "." ? path.join(own, "dist") : path.join(place, "node_modules/@hooklet", name, "dist");
      const files = await readdir(dist, { recursive: true });
      expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
    }
  });

  test(
    "a pod runs",
    async () => {
      const manifests = path.join(place, "manifests");
      await mkdir(manifests);
      const spec = {
        restartPolicy: "Never",
        containers: [{ name: "main", image: "host", command: ["echo", "hello"] }],
      };
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "job" }, spec };
      await writeFile(path.join(manifests, "job.yaml"), JSON.stringify(pod));
      const args = ["run", "--once", "--manifests", manifests, "--root-dir", path.join(place, "root"), "--port", "0"];
      const { stdout } = await run(path.join(place, "node_modules/.bin/hooklet"), args, { cwd: place });
      expect(stdout).toMatch(/job-\S+\s+0\/1\s+Completed/);
    },
    LONG,
  );

  test(
    "a plugin that has brought a core of its own gets the agent's",
    async () => {
      // As npm nests it where versions differ.
      const core = path.join(place, "plugins/node_modules/@hooklet/core");
      await mkdir(core, { recursive: true });
      const manifest = { name: "@hooklet/core", type: "module", exports: "./index.js" };
      await writeFile(path.join(core, "package.json"), JSON.stringify(manifest));
      await writeFile(path.join(core, "index.js"), "throw new Error('loaded');\n");
      await writeFile(
        path.join(place, "plugins/own.mjs"),
        'import { definePlugin } from "@hooklet/core";\nexport default definePlugin({ meta: { name: "own", api: 1 }, start() {} });\n',
      );
      await writeFile(path.join(place, "rc.yaml"), "plugins: [./plugins/own.mjs]\n");
      const hooklet = path.join(place, "node_modules/.bin/hooklet");
      const { stdout } = await run(hooklet, ["check", "--config", "rc.yaml"], { cwd: place });
      expect(stdout).toContain("./plugins/own.mjs");
    },
    LONG,
  );

  test(
    "the examples of tests run with Node's runner, jest and vitest",
    async () => {
      const tests = path.join(place, "testing");
      await cp(path.join(root, "examples/testing"), tests, { recursive: true });
      const { devDependencies = {} } = JSON.parse(await readFile(path.join(tests, "package.json"), "utf8"));
      const runners = ["jest", "vitest"].map((name) => `${name}@${devDependencies[name]}`);
      await npm(place, process.execPath, ["install", ...runners]);
      // Not as a part of the run that this is.
      const { JEST_WORKER_ID: _, NODE_OPTIONS: __, ...env } = process.env;
      const TMPDIR = path.join(place, "tmp");
      await mkdir(TMPDIR);
      const scripts = ["node", "jest", "vitest"].map((runner) => ["npm", "run", `test:${runner}`]);
      for (const [file = "", ...args] of [...scripts, [process.execPath, "node.test.mjs"]]) {
        const { stdout, stderr } = await run(file, args, { cwd: tests, env: { ...env, TMPDIR } });
        expect(stripVTControlCharacters(`${stdout}${stderr}`)).toMatch(/(?:pass |Tests: +|Tests {2})12\b/);
        // No agent was left as it was.
        expect((await readdir(TMPDIR)).filter((name) => name.startsWith("hooklet-"))).toEqual([]);
      }
    },
    LONG,
  );
});

async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) sum += (await stat(path.join(entry.parentPath, entry.name))).size;
  }
  return sum;
}
