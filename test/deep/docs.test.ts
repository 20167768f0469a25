/** Examples of README and docs are what they say they are: rc files that are clean, scenarios that are, commands that run. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseDocument } from "yaml";
import { root } from "../sources.js";
import { hooklet } from "../support/agent.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-docs-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (page: string): Promise<string> => readFile(path.join(root, page), "utf8");
const inFolder = async (name: string): Promise<string[]> =>
  (await readdir(path.join(root, name))).filter((file) => file.endsWith(".md")).map((file) => path.join(name, file));
const packages = await readdir(path.join(root, "packages"));
const pages = [
  ...(await inFolder(".")),
  ...(
    await Promise.all(
      ["", "/tutorials", "/how-to", "/reference", "/explanation"].map((kind) => inFolder(`docs${kind}`)),
    )
  ).flat(),
  ...(await Promise.all(packages.map((name) => inFolder(path.join("packages", name))))).flat(),
];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

/** All blocks of a language, with where they stand. */
async function blocks(language: string): Promise<readonly Block[]> {
  const found = await Promise.all(
    pages.map(async (page) => {
      const text = await read(page);
      const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
      return [...text.matchAll(pattern)].map(({ index, 1: block = "" }) => ({
        page,
        line: text.slice(0, index).split("\n").length,
        text: block,
      }));
    }),
  );
  return found.flat();
}

const plugin = (name: string): string =>
  `export default { meta: { name: "${name}", api: 1 }, options: (z) => z.strictObject({ any: z.string().optional() }), start() {} };\n`;
const strategy =
  'export default { description: "any", options: (z) => z.strictObject({ keep: z.string().optional() }), create: () => ({ candidates }) => candidates };\n';

/** What the reader of a page has: nothing else may be named. */
const OWN: Readonly<Record<string, string>> = {
  "plugins/my-plugin.mjs": plugin("my-plugin"),
  "no-latest.mjs": plugin("no-latest"),
  "strategies/by-team.mjs": strategy,
  "region.yaml": "node: { labels: { region: north } }\n",
  "web.yaml":
    "apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: main, image: web:1 }] }\n",
  "node_modules/@acme/node-base/package.json":
    '{ "name": "@acme/node-base", "type": "module", "exports": "./index.js" }',
  "node_modules/@acme/node-base/index.js": 'export default { plugins: ["acme-audit"] };\n',
  "node_modules/acme-audit/package.json": '{ "name": "acme-audit", "type": "module", "exports": "./index.js" }',
  "node_modules/acme-audit/index.js": plugin("acme-audit"),
  "kubelet.conf": "apiVersion: v1\nkind: Config\nclusters: []\n",
};

async function place(name: string): Promise<string> {
  const target = path.join(folder, name);
  for (const [file, text] of Object.entries(OWN)) {
    await mkdir(path.dirname(path.join(target, file)), { recursive: true });
    await writeFile(path.join(target, file), text);
  }
  return target;
}

const OPTIONS = ["extends", "node", "runtime", "sources", "plugins", "port", "rootDir", "socket", "server"];
const yaml = (await blocks("yaml")).map((block) => ({ ...block, keys: keysOf(block.text) }));
/** Their blocks belong together: test/deep/tutorials.test.ts. */
const STEPS = /^docs\/tutorials\/first-/;
const rcFiles = yaml.filter(
  ({ page, keys }) => !STEPS.test(page) && keys.length > 0 && keys.every((key) => OPTIONS.includes(key)),
);
const scenarios = yaml.filter(({ page, keys }) => !STEPS.test(page) && keys.includes("timeline"));

function keysOf(text: string): readonly string[] {
  const value: unknown = parseDocument(text).toJS();
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

test("the pages have rc files and scenarios", () => {
  expect([rcFiles.length, scenarios.length]).toEqual([expect.any(Number), 2]);
  expect(rcFiles.length).toBeGreaterThan(12);
});

describe("rc files are clean", () => {
  test.each(rcFiles.map(({ page, line, text }) => [`${page}:${line}`, text]))(
    "%s",
    async (name, text) => {
      const target = await place(name.replaceAll("/", "_"));
      const file = path.join(target, ".hookletrc.yaml");
      // A node of a cluster has its kubeconfig; this machine has none.
      await writeFile(file, text.replaceAll("/etc/kubernetes/kubelet.conf", path.join(target, "kubelet.conf")));
      const { code, stderr } = await hooklet(
        ["check", "--config", file, "--root-dir", path.join(target, "root")],
        target,
      );
      // Folders and sockets of a node, which this machine need not have.
      const faults = stderr.replaceAll(/^warning: .* there is no (?:directory|socket) .* now; .*\n/gm, "");
      expect({ code, faults }).toEqual({ code: 0, faults: "" });
    },
    180_000,
  );

  test("docs/reference/rc-file.md's TypeScript", async () => {
    const target = await place("typescript");
    const [block] = (await blocks("ts")).filter(({ page }) => page === "docs/reference/rc-file.md");
    await writeFile(path.join(target, ".hookletrc.ts"), block?.text ?? "");
    const { code, stderr, stdout } = await hooklet(["check", "--root-dir", path.join(target, "root")], target);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^my-plugin +yes /m);
    expect(stdout).toMatch(/^node\.maxPods +20 /m);
  }, 180_000);
});

test.each(scenarios.map(({ page, line, text }) => [`${page}:${line}`, text]))(
  "the scenario of %s is one",
  async (name, text) => {
    const target = await place(name.replaceAll("/", "_"));
    await writeFile(path.join(target, "scenario.yaml"), text);
    const { code, stderr } = await hooklet(["check", "scenario.yaml"], target);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  },
  180_000,
);

/** What a command line of a guide takes from elsewhere: a cluster's answers, the reader's own files, an agent. */
const ELSEWHERE = /record |pod\.yaml|black-friday/;

describe("the commands of the how-to guides on examples run", () => {
  const lines = blocks("sh").then((all) =>
    all
      .filter(({ page }) => page.startsWith("docs/how-to/"))
      .flatMap(({ text }) => text.replaceAll("\\\n", " ").split("\n"))
      .filter((line) => line.startsWith("hooklet ") && line.includes("examples/") && !ELSEWHERE.test(line)),
  );

  test("each of them, in a checkout", async () => {
    const all = await lines;
    expect(all.length).toBeGreaterThan(8);
    for (const line of all) {
      const words = (line.split(" | ")[0] ?? "").match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'|'$/g, "")) ?? [];
      const report = words.indexOf("--report");
      if (report !== -1) words[report + 1] = path.join(folder, words[report + 1] ?? "");
      const { code, stderr } = await hooklet(words.slice(1), root);
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
    }
  }, 300_000);
});

test("TypeScript in docs/reference/plugins.md compiles, and hooklet loads it", async () => {
  const own = path.join(folder, "plugins");
  await mkdir(own, { recursive: true });
  await symlink(path.join(root, "node_modules"), path.join(own, "node_modules"));
  const files = (await blocks("ts"))
    .filter(({ page }) => page === "docs/reference/plugins.md")
    .map(({ text }) => ({ name: /^\/\/ ([\w-]+\.ts)/.exec(text)?.[1] ?? "unnamed.ts", text }));
  expect(files.map(({ name }) => name)).toEqual(["owners.ts", "biggest-first.ts"]);
  for (const { name, text } of files) await writeFile(path.join(own, name), text);
  const flags = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "esnext",
    "--skipLibCheck",
    "--types",
    "node",
  ];
  await promisify(execFile)(path.join(root, "node_modules/.bin/tsc"), [...flags, ...files.map(({ name }) => name)], {
    cwd: own,
  });
  await writeFile(
    path.join(own, ".hookletrc.yaml"),
    "plugins: [./owners.ts, [imagegc, { order: { use: ./biggest-first.ts } }]]\n",
  );
  expect(await hooklet(["check"], own)).toMatchObject({ code: 0 });
}, 120_000);

test("docs/reference/live-view.md shows the live view as it is", async () => {
  const drawn = path.join(folder, "live-view.md");
  await promisify(execFile)(process.execPath, [path.join(root, "scripts/live-screens.mjs"), drawn]);
  expect(await read("docs/reference/live-view.md")).toBe(await readFile(drawn, "utf8"));
}, 180_000);

test("files that README and docs name in a command or link are there", async () => {
  const missing: string[] = [];
  for (const page of pages) {
    const text = (await read(page)).replace(/https?:[^\s)]+/g, "");
    const links = [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) =>
      path.join(path.dirname(page), target),
    );
    const named = [...text.matchAll(/(?<!\w\/)\b(?:examples|docs|packages|scripts)\/[\w@.-]+(?:\/[\w@.-]+)*/g)].map(
      ([name]) => name.replace(/\.$/, ""),
    );
    for (const file of [...links, ...named]) {
      const found = await readdir(path.join(root, path.dirname(file))).catch(() => [] as string[]);
      // "packages/plugin-*" and "docs/adr/0019" name what begins so.
      if (!found.some((name) => name.startsWith(path.basename(file))) && file !== ".") missing.push(`${page}: ${file}`);
    }
  }
  expect(missing).toEqual([]);
});
