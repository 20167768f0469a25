/** What another user's folder can do to an import while it is copied. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Budget, DEFAULT_BOUNDS } from "../../../src/image/bounds.js";
import { copyDirectory } from "../../../src/image/directory.js";
import { LayerWriter } from "../../../src/image/layer.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "hooklet-folder-"));
  for (const name of ["source/a", "source/b", "secret", "root"]) mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, "source/a/file"), "own");
  writeFileSync(join(directory, "source/b/file"), "own");
  writeFileSync(join(directory, "secret/file"), "secret");
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Does something right before an entry is written, which is after it was checked. */
class Swapping extends LayerWriter {
  constructor(
    root: string,
    private readonly swap: (name: string) => void,
  ) {
    super(root, new Budget(DEFAULT_BOUNDS));
  }

  override async apply(...[header, content]: Parameters<LayerWriter["apply"]>): Promise<void> {
    this.swap(header.name);
    await super.apply(header, content);
  }
}

test.each(["a", "b"])("a folder that becomes a link while it is copied is not followed: %s", async (name) => {
  const writer = new Swapping(join(directory, "root"), (entry) => {
    if (entry !== name) return;
    renameSync(join(directory, "source", name), join(directory, "moved"));
    symlinkSync(join(directory, "secret"), join(directory, "source", name));
  });
  await copyDirectory(join(directory, "source"), writer, writer.budget);
  expect(readFileSync(join(directory, "root", name, "file"), "utf8")).toBe("own");
});

test("a file that becomes a link while its folder is copied is no file any more", async () => {
  const writer = new Swapping(join(directory, "root"), (entry) => {
    if (entry !== "a") return;
    rmSync(join(directory, "source/a/file"));
    symlinkSync(join(directory, "secret/file"), join(directory, "source/a/file"));
  });
  await copyDirectory(join(directory, "source"), writer, writer.budget);
  expect(
    readdirSync(join(directory, "root/a"), { withFileTypes: true }).map((entry) => entry.isSymbolicLink()),
  ).toEqual([true]);
});
