/** The workflow that publishes: what it runs is there, what it trusts is named, and only one of its jobs may speak for the project. */
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { root } from "../sources.js";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly needs?: string; readonly permissions: object; readonly steps: readonly Step[] }>
  >;
}

const text = readFileSync(path.join(root, ".github/workflows/release.yml"), "utf8");
const { permissions, jobs } = parse(text) as Workflow;
const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const steps = Object.values(jobs).flatMap((job) => job.steps);

test("nothing may write to the repository, and only the job that publishes, after all tests, may sign", () => {
  expect(permissions).toEqual({});
  const allowed = Object.entries(jobs).map(([name, { needs, permissions: own }]) => [name, needs, own]);
  expect(allowed).toEqual([
    ["test", undefined, { contents: "read" }],
    ["publish", "test", { contents: "read", "id-token": "write" }],
  ]);
});

test("actions are pinned to commits, with the version beside; a checkout leaves no token behind", () => {
  const lines = text.split("\n").filter((line) => line.includes("uses:"));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const checkouts = steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"));
  for (const step of checkouts) expect(step.with).toMatchObject({ "persist-credentials": false });
});

describe("what it runs is there", () => {
  const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

  test.each(commands)("%s", (command) => {
    const words = command.replace(/^sudo env "PATH=\$PATH" /, "").split(" ");
    const script = /^(?:npm|npx --yes pnpm@\d+\.\d+\.\d+) run ([\w:-]+)/.exec(command)?.[1];
    const file = words[0] === "node" ? words[1] : words[0];
    if (script !== undefined) expect(Object.keys(scripts)).toContain(script);
    else accessSync(path.join(root, file ?? ""), words[0] === "node" ? constants.R_OK : constants.X_OK);
  });

  test("pnpm takes each option of the release command", () => {
    const help = execFileSync("npx", ["--yes", "pnpm@12", "publish", "--help"], { encoding: "utf8" });
    const options = scripts.release?.match(/--[\w-]+/g) ?? [];
    expect(options).toContain("--provenance");
    for (const option of options) expect(help).toContain(option);
  }, 60_000);
});

describe("a tag that is not what the packages are is refused", () => {
  const version = JSON.parse(readFileSync(path.join(root, "packages/hooklet/package.json"), "utf8")).version as string;
  const said = (...tag: string[]): { readonly status: number | null; readonly stderr: string } =>
    spawnSync(process.execPath, [path.join(root, "scripts/release-tag.mjs"), ...tag], { encoding: "utf8" });

  test.each([
    [["v999.0.0"], "v999.0.0"],
    [[], "none"],
  ])("%j", (tag, found) => {
    const { status, stderr } = said(...tag);
    expect(status).toBe(1);
    expect(stderr).toContain(`hooklet is ${version}: expected the tag v${version}, found ${found}\n`);
  });

  test("and so is the right one while changesets wait to be part of a version", () => {
    const waiting = readdirSync(path.join(root, ".changeset")).filter(
      (file) => file.endsWith(".md") && file !== "README.md",
    );
    const { status, stderr } = said(`v${version}`);
    expect(status).toBe(waiting.length === 0 ? 0 : 1);
    expect(stderr).toBe(
      waiting.length === 0
        ? ""
        : `${waiting.length} changesets are in no version yet (${waiting[0]}): run npx pnpm@12 changeset version first\n`,
    );
  });
});
