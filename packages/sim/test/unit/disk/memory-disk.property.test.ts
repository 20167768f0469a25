/** A disk in memory does as the machine's does: the same results, the same errors. */
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { disk } from "@hooklet/linux";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import fc from "fast-check";
import { mountMemoryDisk } from "../../../src/disk/memory-disk.js";

const FOLDER = "/simulated-test";
const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW } = fs.constants;
const O_PATH = 0o10000000;

let real: string;
let unmount: () => void;
const umask = process.umask();
beforeEach(() => {
  process.umask(0o022);
  real = fs.mkdtempSync(path.join(tmpdir(), "hooklet-disk-"));
  fs.chmodSync(real, 0o755);
  unmount = mountMemoryDisk(FOLDER);
});
afterEach(() => {
  process.umask(umask);
  unmount();
  fs.rmSync(real, { recursive: true });
});

type Files = Pick<
  typeof disk,
  | "chmodSync"
  | "closeSync"
  | "fstatSync"
  | "lstatSync"
  | "mkdirSync"
  | "openSync"
  | "readFileSync"
  | "readdirSync"
  | "readlinkSync"
  | "realpathSync"
  | "renameSync"
  | "statSync"
  | "symlinkSync"
  | "unlinkSync"
  | "writeFileSync"
>;

const shown = (stat: fs.Stats): object => ({
  kind: stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "link",
  ...(stat.isFile() && { size: stat.size }),
  ...(!stat.isSymbolicLink() && { mode: stat.mode }),
  uid: stat.uid,
});

/** What each does below a folder. */
const operations = {
  mkdir: (files: Files, at: string) => files.mkdirSync(at, { mode: 0o700 }),
  mkdirs: (files: Files, at: string) => files.mkdirSync(at, { recursive: true }) === undefined,
  write: (files: Files, at: string) => files.writeFileSync(at, `text of ${path.basename(at)}`),
  read: (files: Files, at: string) => files.readFileSync(at, "utf8"),
  list: (files: Files, at: string) => files.readdirSync(at).toSorted(),
  kinds: (files: Files, at: string) =>
    files
      .readdirSync(at, { withFileTypes: true })
      .map((one) => `${one.name} ${one.isDirectory()} ${one.isFile()}`)
      .toSorted(),
  lstat: (files: Files, at: string) => shown(files.lstatSync(at)),
  stat: (files: Files, at: string) => shown(files.statSync(at)),
  link: (files: Files, at: string, other: string, folder: string) =>
    files.symlinkSync(path.relative(path.dirname(at), other) || path.relative(folder, other) || ".", at),
  readlink: (files: Files, at: string) => files.readlinkSync(at),
  realpath: (files: Files, at: string, _: string, folder: string) => path.relative(folder, files.realpathSync(at)),
  rename: (files: Files, at: string, other: string) => files.renameSync(at, other),
  unlink: (files: Files, at: string) => files.unlinkSync(at),
  chmod: (files: Files, at: string) => files.chmodSync(at, 0o2750),
  ...Object.fromEntries(
    [
      O_RDONLY | O_NOFOLLOW,
      O_WRONLY | O_CREAT | O_EXCL,
      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
      O_WRONLY | O_CREAT | O_APPEND,
      O_RDWR,
      O_PATH | O_NOFOLLOW,
    ].map((flags) => [
      `open ${flags}`,
      (files: Files, at: string) => {
        const file = files.openSync(at, flags, 0o640);
        try {
          if ((flags & (O_WRONLY | O_RDWR)) !== 0) files.writeFileSync(file, "more");
          return shown(files.fstatSync(file));
        } finally {
          files.closeSync(file);
        }
      },
    ]),
  ),
  /** By way of an open folder, as `Place` does it. */
  below: (files: Files, at: string, other: string) => {
    const folder = files.openSync(path.dirname(at), O_PATH | O_NOFOLLOW);
    try {
      const name = `/proc/self/fd/${folder}/${path.basename(at)}`;
      if (path.basename(other) === "a") files.mkdirSync(name);
      return shown(files.lstatSync(name));
    } finally {
      files.closeSync(folder);
    }
  },
};

function outcome(
  files: Files,
  folder: string,
  { name, at, other }: { name: string; at: string; other: string },
): unknown {
  const operation = (
    operations as Record<string, (files: Files, at: string, other: string, folder: string) => unknown>
  )[name];
  try {
    return { gives: operation?.(files, `${folder}/${at}`, `${folder}/${other}`, folder) };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code };
  }
}

const place = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const steps = fc.array(fc.record({ name: fc.constantFrom(...Object.keys(operations)), at: place, other: place }), {
  maxLength: 30,
});

test("any calls have the same outcome as on the machine's disk", () => {
  let run = 0;
  fc.assert(
    fc.property(steps, (list) => {
      run += 1;
      fs.mkdirSync(`${real}/${run}`);
      disk.mkdirSync(`${FOLDER}/${run}`);
      for (const step of list) {
        expect([step, outcome(disk, `${FOLDER}/${run}`, step)]).toEqual([step, outcome(fs, `${real}/${run}`, step)]);
      }
    }),
    { numRuns: 300 },
  );
});

test("a link may have a slash too many", () => {
  disk.mkdirSync(path.join(FOLDER, "a/b"), { recursive: true });
  disk.writeFileSync(path.join(FOLDER, "a/b/file"), "text");
  for (const [name, target] of Object.entries({ relative: "a//b/", absolute: `${FOLDER}//a/b//` })) {
    disk.symlinkSync(target, path.join(FOLDER, name));
    expect(disk.readFileSync(path.join(FOLDER, name, "file"), "utf8")).toBe("text");
  }
});

test("what lies elsewhere is the machine's, also beside a folder whose name begins alike", () => {
  fs.writeFileSync(`${real}/file`, "machine");
  expect(disk.readFileSync(`${real}/file`, "utf8")).toBe("machine");
  expect(() => disk.lstatSync(`${FOLDER}-other`)).toThrow("ENOENT");
  unmount();
  expect(() => disk.lstatSync(FOLDER)).toThrow("ENOENT");
});
