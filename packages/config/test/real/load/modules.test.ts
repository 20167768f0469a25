import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { inlinePlugin, nameInline } from "../../../src/load/import-file.js";
import { withPlace } from "../../../src/load/modules.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooklet-syntax-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe("an error of syntax", () => {
  test("in JavaScript names file, line and column, with the lines around", async () => {
    const path = await file("a.mjs", "// one\nexport default {\n  meta: { name: 'a' api: 1 },\n};\n");
    const error = (await withPlace(new SyntaxError("Unexpected identifier 'api'"), path)) as Error;
    expect(error.message).toContain(`(${path}:3:21)`);
    expect(error.message).toContain(
      "  2 | export default {\n> 3 |   meta: { name: 'a' api: 1 },\n    |                     ^\n  4 | };",
    );
  });

  test("of the stripper of types is one as well, with what to do", async () => {
    const path = await file("e.ts", "enum A { B }\n");
    const thrown = { message: "TypeScript enum is not supported in strip-only mode", startLine: 1, startColumn: 0 };
    const error = (await withPlace(thrown, path)) as Error;
    expect(error).toBeInstanceOf(SyntaxError);
    expect(error.message).toContain(`(${path}:1:1) Only types are stripped`);
  });

  test("in a file that this one imports, and any other error, stay as they are", async () => {
    const path = await file("fine.mjs", "export default 1;\n");
    const foreign = new SyntaxError("somewhere else");
    expect(await withPlace(foreign, path)).toBe(foreign);
    const other = new Error("no");
    expect(await withPlace(other, path)).toBe(other);
  });
});

describe("plugins within an rc file", () => {
  const plugin = { meta: { name: "own", api: 1 }, start: () => undefined };

  test("get a name, with or without options; names stay as they are", () => {
    const { plugins } = nameInline({ plugins: [plugin, [plugin, { a: 1 }], "probe", ["probe", false]] }, "/x/rc.mjs");
    expect(plugins).toEqual(["/x/rc.mjs#own", ["/x/rc.mjs#own", { a: 1 }], "probe", ["probe", false]]);
    expect(inlinePlugin("/x/rc.mjs#own")).toEqual({ value: plugin, file: "/x/rc.mjs" });
    expect(inlinePlugin("probe")).toBeUndefined();
  });
});

test("a file far from any package imports defineConfig from the hooklet that runs", async () => {
  const path = await file(
    "rc.ts",
    'import { defineConfig } from "@hooklet/core";\nexport default defineConfig({ port: 0 as number });\n',
  );
  const modules = new URL("../../../dist/load/modules.js", import.meta.url).href;
  const script = `import(${JSON.stringify(modules)}).then(({ nodeModules }) => nodeModules.load(${JSON.stringify(path)})).then((m) => console.log(JSON.stringify(m.default)))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  expect(JSON.parse(stdout)).toEqual({ port: 0 });
});
