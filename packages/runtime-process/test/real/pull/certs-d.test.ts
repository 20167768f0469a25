import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { findHosts } from "../../../src/pull/hosts-toml.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooklet-certs-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text = ""): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), text);
}

async function locations(registry: string, ...roots: string[]): Promise<string[]> {
  const path = (roots.length === 0 ? [""] : roots).map((root) => join(folder, root)).join(":");
  return (await findHosts(path, registry)).map(({ location }) => location);
}

const server = (name: string): string => `server = "https://${name}"`;

test("the folder is named as the registry, with its port in one of two ways, or _default", async () => {
  expect(await locations("r.example:5000")).toEqual(["r.example:5000"]);
  await write("_default/hosts.toml", server("default.example"));
  expect(await locations("r.example:5000")).toEqual(["default.example"]);
  await write("r.example:5000/hosts.toml", server("colon.example"));
  expect(await locations("r.example:5000")).toEqual(["colon.example"]);
  await write("r.example_5000_/hosts.toml", server("underscore.example"));
  expect(await locations("r.example:5000")).toEqual(["underscore.example"]);
  expect(await locations("other.example")).toEqual(["default.example"]);
});

test("of several roots the first that knows the registry counts", async () => {
  await write("second/r.example/hosts.toml", server("second.example"));
  expect(await locations("r.example", "first", "second")).toEqual(["second.example"]);
  await write("first/r.example/hosts.toml", server("first.example"));
  expect(await locations("r.example", "first", "second")).toEqual(["first.example"]);
});

test("without hosts.toml the certificates count that docker would take", async () => {
  for (const name of ["ca.crt", "own.cert", "own.key", "README"]) await write(`r.example/${name}`);
  const here = (name: string): string => join(folder, "r.example", name);
  expect(await findHosts(folder, "r.example")).toEqual([
    {
      location: "r.example",
      insecure: false,
      onlyDigests: false,
      ca: [here("ca.crt")],
      client: [[here("own.cert"), here("own.key")]],
    },
  ]);
  await rm(here("own.key"));
  await expect(findHosts(folder, "r.example")).rejects.toThrow(`${here("own.cert")}: expected its key beside it`);
});
