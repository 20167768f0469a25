import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Inside } from "../../../src/run/expectations.js";
import { insideOf } from "../../../src/run/inside.js";
import type { ScenarioNode } from "../../../src/run/scenario-node.js";
import type { Expectation } from "../../../src/scenario/schema.js";

let rootDir: string;
beforeAll(async () => {
  rootDir = await mkdtemp(path.join(tmpdir(), "hooklet-inside-"));
  for (const volume of ["whole", "web", "certs"]) {
    await mkdir(path.join(rootDir, volume, "folder"), { recursive: true });
    await writeFile(path.join(rootDir, volume, "level"), volume);
  }
});
afterAll(() => rm(rootDir, { recursive: true }));

/** What the only container of pod web has, which mounts `at` by volume. */
async function look(expected: object, at: Readonly<Record<string, string>>): Promise<Inside | undefined> {
  const mounts = Object.entries(at).map(([containerPath, volume]) => ({
    containerPath,
    hostPath: path.resolve(rootDir, volume),
  }));
  const node = {
    rootDir,
    source: { uidOf: () => "u", spec: () => ({ spec: { containers: [{ name: "main" }] } }) },
    runtime: { configOf: () => ({ envs: [{ key: "LEVEL", value: "" }], mounts }) },
  } as unknown as ScenarioNode;
  const expectation = { pod: "web", ...expected } as Expectation;
  return (await insideOf(node, [{ expectation } as never])).get(expectation);
}

describe("a file of a container", () => {
  test.each([
    { name: "is the volume's", file: "/etc/web/level", at: { "/etc/web": "web" }, found: "web" },
    {
      name: "is there where the mount ends in a slash",
      file: "/etc/web/level",
      at: { "/etc/web/": "web" },
      found: "web",
    },
    { name: "is there where slashes are doubled", file: "/etc//web/level", at: { "//etc/web//": "web" }, found: "web" },
    {
      name: "is the innermost volume's",
      file: "/etc/web/certs/level",
      at: { "/": "whole", "/etc/web///": "web", "/etc/web/certs": "certs" },
      found: "certs",
    },
    {
      name: "is that of a volume at the root",
      file: "/level",
      at: { "/": "whole", "/etc/web": "web" },
      found: "whole",
    },
    { name: "is mounted alone (subPath)", file: "/etc/level", at: { "/etc/level": "web/level" }, found: "web" },
    { name: "is not there", file: "/etc/web/other", at: { "/etc/web": "web" }, found: null },
    { name: "is not below another file", file: "/etc/web/level/x", at: { "/etc/web": "web" }, found: null },
  ])("$name", async ({ file, at, found }) => {
    expect(await look({ file }, at)).toEqual({ found });
  });

  test.each([
    {
      name: "of no volume",
      file: "/etc/website/level",
      at: { "/etc/web": "web" },
      why: "no volume is mounted at /etc/website/level",
    },
    {
      name: "beside the volume, by ..",
      file: "/etc/web/../level",
      at: { "/etc/web": "web" },
      why: "no volume is mounted at /etc/web/../level",
    },
    {
      name: "of the machine that simulates",
      file: "/etc/hostname",
      at: { "/etc/": "/etc" },
      why: "/etc is /etc of the machine, which is not simulated",
    },
    {
      name: "that is a folder, in the same words on any machine",
      file: "/etc/web/folder",
      at: { "/etc/web": "web" },
      why: "/etc/web/folder cannot be read (EISDIR)",
    },
  ])("$name is refused", async ({ file, at, why }) => {
    expect(await look({ file }, at)).toEqual({ why });
  });
});

test.each([
  { name: "that is there", env: "LEVEL", found: "" },
  { name: "that is not", env: "OTHER", found: null },
])("a variable $name", async ({ env, found }) => {
  expect(await look({ env }, {})).toEqual({ found });
});
