/** Layers that images have in common. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Budget } from "../../../src/image/bounds.js";
import { Layers } from "../../../src/image/layers.js";

const ID = `sha256:${"a".repeat(64)}`;
const record = { id: ID, size: 7, inodes: 2 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-layers-"));
  mkdirSync(join(folder, "other"));
  for (const name of ["entries", "1"]) writeFileSync(join(folder, "other", name), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const own = () => join(folder, "own", "a".repeat(64));
function layersWith(found: { folder: string } | undefined) {
  const budget = new Budget({ maxBytes: 100, maxEntries: 100 });
  const layers = new Layers(join(folder, "own"), budget, async () => found && { ...found, record });
  return { layers, budget };
}

test("a layer that another image has is linked, once, and counts with its size", async () => {
  const { layers, budget } = layersWith({ folder: join(folder, "other") });
  expect([await layers.take(ID), await layers.take(ID)]).toEqual([true, true]);
  expect([budget.bytes, layers.records]).toEqual([7, [record]]);
  for (const name of ["entries", "1"])
    expect(statSync(join(own(), name)).ino).toBe(statSync(join(folder, "other", name)).ino);
});

test("one that no image has, or whose image is just being removed, is not taken over, and leaves nothing", async () => {
  expect(await layersWith(undefined).layers.take(ID)).toBe(false);
  const { layers, budget } = layersWith({ folder: join(folder, "gone") });
  expect([await layers.take(ID), budget.bytes, layers.records, existsSync(own())]).toEqual([false, 0, [], false]);
});

test("one of which a part cannot be linked is an error, and not half a layer", async () => {
  mkdirSync(join(folder, "other", "a folder cannot be linked"));
  const { layers } = layersWith({ folder: join(folder, "other") });
  await expect(layers.take(ID)).rejects.toThrow("EPERM");
  expect(layers.records).toEqual([]);
});
