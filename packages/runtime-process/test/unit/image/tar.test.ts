/** What is taken for a tar file, and what is said of one that is none. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "@jest/globals";
import { Budget, DEFAULT_BOUNDS } from "../../../src/image/bounds.js";
import { readTar } from "../../../src/image/tar.js";
import { sha256, tar } from "../../real/image/archives.js";

const folder = mkdtempSync(join(tmpdir(), "hooklet-tar-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "x.tar");
const archive = await tar([
  { name: "a", text: "one" },
  { name: "b/", type: "directory" },
  { name: "c", text: "three" },
]);

async function entries(content: Buffer, what?: string, budget = new Budget(DEFAULT_BOUNDS)) {
  writeFileSync(file, content);
  const found: string[] = [];
  const visit = async ({ name }: { readonly name: string }, entry: NodeJS.ReadableStream) => {
    found.push(`${name}: ${await text(entry)}`);
  };
  const digest = await readTar(file, budget, visit, what);
  return { found, digest };
}
const refused = (message: RegExp) =>
  expect.objectContaining({ code: "invalid-argument", message: expect.stringMatching(message) });

test.each([
  ["plain", archive],
  ["gzipped", gzipSync(archive)],
])("a %s archive gives its entries in order, and the digest of what is unpacked", async (_name, content) => {
  const budget = new Budget(DEFAULT_BOUNDS);
  const found = ["a: one", "b/: ", "c: three"];
  expect(await entries(content, undefined, budget)).toEqual({ found, digest: sha256(archive) });
  expect(budget.bytes).toBe(archive.length);
});

test("an entry that is not read is skipped", async () => {
  writeFileSync(file, archive);
  const names: string[] = [];
  await readTar(file, new Budget(DEFAULT_BOUNDS), async ({ name }) => void names.push(name));
  expect(names).toEqual(["a", "b/", "c"]);
});

test.each([
  [
    "zstd",
    Buffer.from("28b52ffd00", "hex"),
    /^the layer is packed with zstd; expected a plain or gzipped tar: repack it$/,
  ],
  ["text", Buffer.alloc(1024, "text"), /^cannot read the layer as a tar archive: ./],
  ["a damaged gzip", Buffer.from("1f8b00", "hex"), /^cannot read the layer as a tar archive: ./],
  ["one that breaks off", archive.subarray(0, 600), /^cannot read the layer as a tar archive: ./],
])("%s is refused by its name", async (_name, content, message) => {
  await expect(entries(content, "the layer")).rejects.toEqual(refused(message));
  const named = message.source.replace("the layer", file);
  await expect(entries(content)).rejects.toEqual(refused(new RegExp(named)));
});

test("an error of the visit is the archive's, unless it says itself what it is", async () => {
  writeFileSync(file, archive);
  const failing = (error: unknown) =>
    readTar(file, new Budget(DEFAULT_BOUNDS), () => Promise.reject(error), "the layer");
  await expect(failing(new Error("broken"))).rejects.toEqual(
    refused(/^cannot read the layer as a tar archive: broken$/),
  );
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  await expect(failing(full)).rejects.toBe(full);
});

test("an archive of more bytes than an image may have is refused for that", async () => {
  const budget = new Budget({ ...DEFAULT_BOUNDS, maxBytes: 600 });
  await expect(entries(archive, undefined, budget)).rejects.toEqual(refused(/^the image holds more than 600 bytes/));
});
