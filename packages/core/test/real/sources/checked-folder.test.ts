/** Objects in files of their own, each with its checksum. */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { CheckedFolder } from "../../../src/sources/checked-folder.js";
import type { SourceFault } from "../../../src/sources/port.js";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "hooklet-checked-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

function checked(name = "pods") {
  const faults: SourceFault[] = [];
  const folder = join(base, name);
  const own = new CheckedFolder({ folder, clock: new VirtualClock(), isName: /\.json$/, one: "pod", all: "the pods" });
  const read = () => own.read((fault) => void faults.push(fault));
  return { own, folder, faults, read };
}

test("what is written is read again, by name, until it is removed", async () => {
  const { own, folder, faults, read } = checked();
  expect(await read()).toEqual([]);
  await own.prepare();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await own.write("b.json", { b: 1 });
  await own.write("a.json", "text");
  expect(await read()).toEqual([
    ["a.json", "text"],
    ["b.json", { b: 1 }],
  ]);
  await own.remove("b.json");
  await own.remove("gone.json");
  expect(await read()).toEqual([["a.json", "text"]]);
  expect(faults).toEqual([]);
});

test("files of others stay; what was half written is removed", async () => {
  const { own, folder, read } = checked();
  await own.prepare();
  for (const name of [".a.json.tmp", "note.txt", "x.tmp"]) await writeFile(join(folder, name), "x");
  expect(await read()).toEqual([]);
  expect((await readdir(folder)).toSorted()).toEqual(["note.txt", "x.tmp"]);
});

test("a damaged file is moved aside and costs itself alone", async () => {
  const { own, folder, faults, read } = checked();
  await own.prepare();
  await own.write("good.json", 1);
  await writeFile(join(folder, "bad.json"), "{");
  expect(await read()).toEqual([["good.json", 1]]);
  expect(faults).toEqual([
    { where: join(folder, "bad.json"), message: expect.stringMatching(/; renamed to .+; apply its pod again$/) },
  ]);
  expect(await readdir(folder)).not.toContain("bad.json");
});

test("a file of another name, a folder that is none, and a file that cannot be removed are reported", async () => {
  const { own, folder, faults, read } = checked();
  own.misnamed("a.json", (fault) => void faults.push(fault));
  expect(faults).toEqual([
    {
      where: join(folder, "a.json"),
      message: "it does not hold the pod that its name says; apply the pod again and delete this file",
    },
  ]);
  faults.length = 0;
  await writeFile(folder, "no folder");
  expect(await read()).toEqual([]);
  expect(faults).toEqual([{ where: folder, message: expect.stringMatching(/^the pods cannot be read: /) }]);
  const other = checked("others");
  await mkdir(join(other.folder, "a.json"), { recursive: true });
  await expect(other.own.remove("a.json")).rejects.toMatchObject({
    code: "STATE_UNWRITABLE",
    message: expect.stringMatching(/^Cannot delete .*a\.json: .*; the pod stays; make the directory writable$/),
  });
});
