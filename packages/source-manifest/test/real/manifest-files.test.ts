import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { MAX_MANIFEST_BYTES } from "@hooklet/manifest";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { temporaryFolder } from "../../../core/test/sources/harness.js";
import { listManifests, NotAFileError, readManifestFile } from "../../src/manifest-files.js";

let root: Awaited<ReturnType<typeof temporaryFolder>>;
const at = (name: string): string => path.join(root.path, name);
const names = async () => (await listManifests(root.path)).map((file) => path.basename(file.path));

beforeEach(async () => {
  root = await temporaryFolder();
});
afterEach(() => root.remove());

test("files are listed by name, without folders and without what editors leave", async () => {
  for (const name of ["b.yaml", "a.json", "c"]) await writeFile(at(name), "");
  const left = [".a.yaml", "a.yaml~", "#a.yaml#", "a.yaml.swp", "a.tmp", "4913", "a.yaml___jb_tmp___"];
  for (const name of left) await writeFile(at(name), "");
  await mkdir(at("folder"));
  expect(await names()).toEqual(["a.json", "b.yaml", "c"]);
});

test("names that only resemble those of editors are listed", async () => {
  const kept = ["#a.yaml", "14913", "a.swap", "a.tmp.yaml", "a~.yaml"];
  for (const name of kept) await writeFile(at(name), "");
  expect(await names()).toEqual(kept);
});

test("a link to nothing or to itself is listed: reading it reports the fault", async () => {
  await symlink(at("nothing"), at("nowhere"));
  await symlink(at("round"), at("round"));
  expect(await listManifests(root.path)).toEqual([
    { path: at("nowhere"), stamp: "ENOENT" },
    { path: at("round"), stamp: "ELOOP" },
  ]);
});

test("one file is listed as itself, what is not there is an error", async () => {
  await writeFile(at("a.yaml"), "");
  expect((await listManifests(at("a.yaml"))).map((file) => file.path)).toEqual([at("a.yaml")]);
  await expect(listManifests(at("b.yaml"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a file of up to 10 MiB is read as it is", async () => {
  await writeFile(at("a.yaml"), "kind: Pod\n");
  expect((await readManifestFile(at("a.yaml"))).toString()).toBe("kind: Pod\n");
  await truncate(at("a.yaml"), MAX_MANIFEST_BYTES);
  expect(await readManifestFile(at("a.yaml"))).toHaveLength(MAX_MANIFEST_BYTES);
  await truncate(at("a.yaml"), MAX_MANIFEST_BYTES + 1);
  await expect(readManifestFile(at("a.yaml"))).rejects.toThrow(
    new NotAFileError(`it has ${MAX_MANIFEST_BYTES + 1} bytes; expected at most ${MAX_MANIFEST_BYTES}`),
  );
});

test("anything but a file is reported by its kind, and never blocks", async () => {
  execFileSync("mkfifo", [at("fifo")]);
  const fault = (kind: string) => new NotAFileError(`it is ${kind}; expected a regular file`);
  await expect(readManifestFile(at("fifo"))).rejects.toThrow(fault("a FIFO"));
  await expect(readManifestFile(root.path)).rejects.toThrow(fault("a directory"));
  await expect(readManifestFile("/dev/null")).rejects.toThrow(fault("a device"));
});
