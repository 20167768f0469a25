/** What `hooklet create strategy` writes: its scenario tells whether the strategy is followed. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Job, runJob } from "../../../../../simulate/src/subprocess/job.js";
import { POINTS } from "../../../../src/commands/create/strategy-points.js";
import { strategyFiles } from "../../../../src/commands/create/strategy-template.js";
import { defaultPlugins, sourcePlugins } from "../../../../src/default-plugins.js";

type Point = keyof typeof POINTS;
const points = Object.keys(POINTS) as Point[];

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-strategy-"));
});

afterEach(() => rm(folder, { recursive: true }));

function filesOf(point: Point, isTypeScript = false): Record<string, string> {
  const typesOf = (name: string): string => `../types/${name}`;
  return strategyFiles(point, { name: "mine", isTypeScript, version: "0.1.0", typesOf, clone: "../packages" });
}

/** Runs the scenario; `create` in place of the strategy's own. */
async function outcomeOf(point: Point, create?: string) {
  const files = filesOf(point);
  if (create !== undefined) {
    const own = files["index.js"] ?? "";
    files["index.js"] = `${own.slice(0, own.indexOf("  create:"))}  create: ${create},\n};\n`;
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const host = { url: import.meta.url, plugins: defaultPlugins, sourcePlugins };
  const job: Job = { file: path.join(folder, "scenario.yaml"), host, variant: {}, seed: 0 };
  const { expectations, faults, problems } = await runJob(job);
  return { failed: expectations.filter(({ failure }) => failure !== undefined).length, faults, problems };
}

describe.each(points)("%s", (point) => {
  test("the scenario holds, and the agent logs no error", async () => {
    expect(await outcomeOf(point)).toEqual({ failed: 0, faults: [], problems: [] });
  });

  test.each([
    ["throws", "() => () => { throw new Error('boom'); }", "failed: boom ("],
    ["answers nonsense", "() => () => [{ uid: 'x', key: 'x' }]", '"x"'],
  ])("expectations fail where the strategy %s, and the fault is reported", async (_name, create, says) => {
    const { failed, faults } = await outcomeOf(point, create);
    expect(failed).toBeGreaterThan(0);
    expect(faults).toEqual([expect.objectContaining({ difference: expect.stringContaining(says) })]);
  });

  test("the package has the point's plugin beside core, with its types", () => {
    const name = `@hooklet/plugin-${POINTS[point].plugin}`;
    const files = filesOf(point, true);
    const { devDependencies } = JSON.parse(files["package.json"] ?? "");
    expect(devDependencies).toMatchObject({
      "@hooklet/core": "file:../packages/core",
      "@hooklet/testkit": "file:../packages/testkit",
      [name]: `file:../packages/${name.slice("@hooklet/".length)}`,
    });
    const { compilerOptions } = JSON.parse(files["tsconfig.json"] ?? "");
    expect(compilerOptions.paths[name]).toEqual([`../types/${name}/index.d.ts`]);
    expect(files["src/index.ts"]).toContain(`import type { ${POINTS[point].strategy} } from "${name}"`);
    expect(files["src/index.ts"]).not.toContain("unknown");
  });

  test("without the test kit the package's test needs types alone", () => {
    const typesOf = (name: string): string => `../types/${name}`;
    const own = { name: "mine", version: "0.1.0", typesOf, clone: undefined };
    const javascript = strategyFiles(point, { ...own, isTypeScript: false })["index.test.js"] ?? "";
    const typescript = strategyFiles(point, { ...own, isTypeScript: true })["src/index.test.ts"] ?? "";
    const { input, fault } = POINTS[point];
    expect(javascript.match(/^import .*$/gm)).toHaveLength(3);
    expect(typescript).toContain(`import type { ${input} } from "@hooklet/plugin-${POINTS[point].plugin}";`);
    for (const text of [javascript, typescript]) expect(text).not.toContain(fault);
    expect(typescript).not.toContain("testkit");
  });
});
