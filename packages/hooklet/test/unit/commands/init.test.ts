import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type FakeIo, fakeIo, hooklet } from "../../binary.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-init-"));
});

afterEach(() => rm(folder, { recursive: true }));

const init = (words = "") => hooklet(`init ${words}`, { ...fakeIo(), cwd: () => folder } as FakeIo);

test("writes an rc file that says what this machine has, and its folder of manifests, and never over another one", async () => {
  const { code, out } = await init();
  expect([code, out]).toEqual([0, expect.stringContaining("Next: hooklet check, then hooklet run\n")]);
  const rc = parse(await readFile(path.join(folder, ".hookletrc.yaml"), "utf8"));
  expect(rc).toMatchObject({ sources: { manifests: "./manifests" }, port: 10248 });
  expect((await stat(path.join(folder, "manifests"))).isDirectory()).toBe(true);
  expect(await init()).toMatchObject({ code: 1, err: expect.stringContaining("it exists already") });
});

test("--config names another file, which the next step names as well", async () => {
  const { out } = await init("--config node/rc.yaml");
  expect(out).toContain("Next: hooklet check --config node/rc.yaml, then hooklet run --config node/rc.yaml\n");
  expect((await stat(path.join(folder, "node/manifests"))).isDirectory()).toBe(true);
});

test.each([
  ["rc.json", "a file that ends in .yaml or .yml"],
  ["rc.mjs", "a file that ends in .yaml or .yml"],
  ["rc.txt", "a file that ends in .yaml or .yml"],
  [".", "the name of a file"],
])("--config %s is refused: %s is expected, and nothing is written", async (name, expected) => {
  expect(await init(`--config ${name}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`expected ${expected}`),
  });
  expect(await readdir(folder)).toEqual([]);
});
