/** What V8 has compiled of the bundle is kept for the next start (bin/compiled-code.js): it is never that of another source. */
import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const MODULE = new URL("../../bin/compiled-code.js", import.meta.url).href;

let folder: string;
let bundle: string;
let cache: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hooklet-compiled-")));
  [bundle, cache] = [join(folder, "bundle/"), join(folder, "cache")];
  mkdirSync(bundle);
  program("first");
});

afterEach(() => rmSync(folder, { recursive: true }));

const program = (said: string): void =>
  writeFileSync(join(bundle, "program.cjs"), `exports.say = () => ${JSON.stringify(said)};\n`);

/** What the program says in a process that keeps its code afterwards. */
function says(): string {
  const script = `
    import { createRequire } from "node:module";
    import { keepCompiledCode } from ${JSON.stringify(MODULE)};
    const keep = keepCompiledCode(${JSON.stringify(bundle)}, ${JSON.stringify(cache)});
    console.log(createRequire(${JSON.stringify(bundle)})("./program.cjs").say());
    keep();`;
  return execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" }).trim();
}

/** The kept file of the program. */
function kept(): string {
  const [version = ""] = readdirSync(cache);
  const [file = "", ...others] = readdirSync(join(cache, version));
  expect(others).toEqual([]);
  return join(cache, version, file);
}

const written = (): number => statSync(kept()).ino;

test("the second start uses what the first has kept", () => {
  expect(says()).toBe("first");
  const before = written();
  expect(says()).toBe("first");
  expect(written()).toBe(before);
});

test.each([
  { name: "a byte of it is another one", damage: (bytes: Buffer) => bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200) },
  { name: "its end is lost", damage: (bytes: Buffer) => bytes.fill(0, bytes.length / 2) },
])("kept code is compiled again where $name", ({ damage }) => {
  says();
  const [file, before] = [kept(), readFileSync(kept())];
  const bytes = Buffer.from(before);
  damage(bytes);
  writeFileSync(file, bytes);
  expect(says()).toBe("first");
  expect(readFileSync(file).equals(bytes)).toBe(false);
});

test("another source of the same length is compiled again", () => {
  says();
  program("other");
  expect(says()).toBe("other");
});

(process.getuid?.() === 0 ? test : test.skip)("where the bundle is another user's nothing is kept", () => {
  chownSync(bundle, 65534, 65534);
  expect(says()).toBe("first");
  expect(existsSync(cache)).toBe(false);
});

test("without write access the program runs, and keeps nothing", () => {
  writeFileSync(cache, "");
  expect(says()).toBe("first");
  expect(readFileSync(cache, "utf8")).toBe("");
});
