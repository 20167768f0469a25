/** A disk in memory answers each call as the machine's disk does, with the same errors. */
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { disk } from "@hooklet/linux";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { MemoryDisk, mountMemoryDisk } from "../../../src/disk/memory-disk.js";

const FOLDER = "/simulated-table";
const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW } = fs.constants;

type Files = typeof fs;

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

const kindOf = (one: fs.Stats | fs.Dirent): string =>
  [
    one.isFile() && "file",
    one.isDirectory() && "folder",
    one.isSymbolicLink() && "link",
    one.isFIFO() && "fifo",
    one.isSocket() && "socket",
    one.isBlockDevice() && "block",
    one.isCharacterDevice() && "character",
  ]
    .filter(Boolean)
    .join();

/** A folder with `file`, `full/inner`, `empty/`, and links to each and to nothing. */
function furnish(files: Files, at: string): void {
  files.writeFileSync(`${at}/file`, "12345");
  files.mkdirSync(`${at}/full`);
  files.writeFileSync(`${at}/full/inner`, "in");
  files.mkdirSync(`${at}/empty`);
  for (const to of ["file", "full", "nowhere"]) files.symlinkSync(to, `${at}/to-${to}`);
  files.symlinkSync("to-loop", `${at}/to-loop`);
  files.symlinkSync("../file", `${at}/full/up`);
  files.symlinkSync(`${at}/full/inner`, `${at}/absolute`);
}

function withOpen<T>(files: Files, file: string, flags: number, use: (descriptor: number) => T): T {
  const descriptor = files.openSync(file, flags);
  try {
    return use(descriptor);
  } finally {
    files.closeSync(descriptor);
  }
}

/** What is at the places afterwards counts as well. */
const calls: Readonly<Record<string, (files: Files, at: string) => unknown>> = {
  "a missing file is not opened": (f, at) => f.openSync(`${at}/gone`, O_RDONLY),
  "a file below a missing folder is not created": (f, at) => f.openSync(`${at}/gone/a`, O_WRONLY | O_CREAT),
  "a file below a file is not opened": (f, at) => f.openSync(`${at}/file/a`, O_RDONLY),
  "a file that is there is not created exclusively": (f, at) => f.openSync(`${at}/file`, O_WRONLY | O_CREAT | O_EXCL),
  "nor through a link that leads nowhere": (f, at) => f.openSync(`${at}/to-nowhere`, O_WRONLY | O_CREAT | O_EXCL),
  "a link is not opened without following": (f, at) => f.openSync(`${at}/to-file`, O_RDONLY | O_NOFOLLOW),
  "a loop of links ends": (f, at) => f.openSync(`${at}/to-loop`, O_RDONLY),
  "a folder is not opened for writing": (f, at) => f.openSync(`${at}/full`, O_WRONLY),
  "nor for reading and writing": (f, at) => f.openSync(`${at}/full`, O_RDWR),
  "a folder is opened for reading, and not read": (f, at) =>
    withOpen(f, `${at}/full`, O_RDONLY, (one) => f.readFileSync(one)),
  "nor piece by piece": (f, at) =>
    withOpen(f, `${at}/full`, O_RDONLY, (one) => f.readSync(one, Buffer.alloc(1), 0, 1, null)),
  "truncating empties a file": (f, at) => {
    withOpen(f, `${at}/file`, O_WRONLY | O_TRUNC, () => undefined);
    return f.readFileSync(`${at}/file`, "utf8");
  },
  "writing begins at the start": (f, at) => {
    withOpen(f, `${at}/file`, O_RDWR, (one) => {
      f.writeFileSync(one, "ab");
      f.writeFileSync(one, "c");
    });
    return f.readFileSync(`${at}/file`, "utf8");
  },
  "appending goes to the end": (f, at) => {
    withOpen(f, `${at}/file`, O_WRONLY | O_APPEND, (one) => f.writeFileSync(one, "ab"));
    return f.readFileSync(`${at}/file`, { encoding: "utf8" });
  },
  "writing by a path replaces all": (f, at) => {
    f.writeFileSync(`${at}/file`, Buffer.from("x"));
    return [f.readFileSync(`${at}/file`).toString("hex"), f.readFileSync(`${at}/file`, { encoding: "latin1" })];
  },
  "reading goes on from where it was, a place does not": (f, at) =>
    withOpen(f, `${at}/file`, O_RDONLY, (one) => {
      const piece = Buffer.from("-----");
      return [
        f.readSync(one, piece, 1, 2, null),
        piece.toString(),
        f.readSync(one, piece, 0, 5, 3),
        piece.toString(),
        f.readSync(one, piece, 0, 5, null),
        piece.toString(),
        f.readSync(one, piece, 0, 5, null),
      ];
    }),
  "a missing file is not read": (f, at) => f.readFileSync(`${at}/gone`),
  "a folder is not read as a file": (f, at) => f.readFileSync(`${at}/full`),
  "a closed file is not read": (f, at) => {
    const descriptor = f.openSync(`${at}/file`, O_RDONLY);
    f.closeSync(descriptor);
    return f.readFileSync(descriptor);
  },
  "nor closed again": (f, at) => {
    const descriptor = f.openSync(`${at}/file`, O_RDONLY);
    f.closeSync(descriptor);
    f.closeSync(descriptor);
  },
  "a folder is not listed below a file": (f, at) => f.readdirSync(`${at}/file`),
  "a missing folder is not listed": (f, at) => f.readdirSync(`${at}/gone`),
  "a folder is listed, and through a link": (f, at) => [
    f.readdirSync(`${at}/full`).toSorted(),
    f.readdirSync(`${at}/to-full`).toSorted(),
    f.readdirSync(`${at}/empty`),
  ],
  "a folder is listed with kinds": (f, at) =>
    f
      .readdirSync(at, { withFileTypes: true })
      .map((one) => `${one.name} ${kindOf(one)} ${one.parentPath === at}`)
      .toSorted(),
  "kinds and sizes": (f, at) =>
    ["file", "full", "to-file", "to-nowhere"].map((name) => {
      const { size } = f.lstatSync(`${at}/${name}`);
      return [kindOf(f.lstatSync(`${at}/${name}`)), name === "file" && size];
    }),
  "a link is followed": (f, at) => kindOf(f.statSync(`${at}/to-full`)),
  "a link that leads nowhere is followed to nothing": (f, at) => f.statSync(`${at}/to-nowhere`),
  "or to undefined": (f, at) => [
    f.statSync(`${at}/to-nowhere`, { throwIfNoEntry: false }),
    f.lstatSync(`${at}/gone/a`, { throwIfNoEntry: false }),
  ],
  "what is missing has no state": (f, at) => f.lstatSync(`${at}/gone`),
  "a folder is not made twice": (f, at) => f.mkdirSync(`${at}/full`),
  "nor in place of a link": (f, at) => f.mkdirSync(`${at}/to-nowhere`),
  "nor below a missing one": (f, at) => f.mkdirSync(`${at}/gone/a`),
  "folders above it are made where that is asked for": (f, at) => [
    path.relative(at, f.mkdirSync(`${at}/new/a/b`, { recursive: true }) ?? ""),
    f.readdirSync(`${at}/new/a`),
    f.mkdirSync(`${at}/new/a/b`, { recursive: true }),
    f.mkdirSync(`${at}/to-full`, { recursive: true }),
  ],
  "but not in place of a file": (f, at) => f.mkdirSync(`${at}/file`, { recursive: true }),
  "nor through a link that leads nowhere at all": (f, at) => f.mkdirSync(`${at}/to-nowhere`, { recursive: true }),
  "folders and files have modes without the umask's bits": (f, at) => {
    f.mkdirSync(`${at}/a`, 0o777);
    f.mkdirSync(`${at}/b`, { mode: 0o770 });
    f.mkdirSync(`${at}/c`);
    f.closeSync(f.openSync(`${at}/d`, O_WRONLY | O_CREAT, 0o777));
    f.writeFileSync(`${at}/e`, "");
    return ["a", "b", "c", "d", "e"].map((name) => f.statSync(`${at}/${name}`).mode.toString(8));
  },
  "a temporary folder is its owner's alone": (f, at) => {
    const made = f.mkdtempSync(`${at}/tmp-`);
    return [f.statSync(made).mode.toString(8), path.basename(made).length, f.mkdtempSync(`${at}/tmp-`) === made];
  },
  "modes change, and the kind stays": (f, at) => {
    f.chmodSync(`${at}/to-file`, 0o4711);
    withOpen(f, `${at}/full`, O_RDONLY, (one) => f.fchmodSync(one, 0o700));
    return ["file", "full"].map((name) => f.statSync(`${at}/${name}`).mode.toString(8));
  },
  "the mode of what is missing does not": (f, at) => f.chmodSync(`${at}/to-nowhere`, 0o700),
  "owners stay with -1": (f, at) => {
    f.chownSync(`${at}/to-file`, -1, -1);
    f.lchownSync(`${at}/to-nowhere`, -1, -1);
    withOpen(f, `${at}/file`, O_RDONLY, (one) => f.fchownSync(one, -1, -1));
    const { uid, gid } = f.statSync(`${at}/file`);
    return [uid === process.getuid?.(), gid === process.getgid?.()];
  },
  "the owner of what is missing does not change": (f, at) => f.chownSync(`${at}/to-nowhere`, -1, -1),
  "a link leads where it says": (f, at) => [f.readlinkSync(`${at}/to-nowhere`), f.readlinkSync(`${at}/full/up`)],
  "a file is no link": (f, at) => f.readlinkSync(`${at}/file`),
  "what is missing is none": (f, at) => f.readlinkSync(`${at}/gone`),
  "a link is not made in place of a file": (f, at) => f.symlinkSync("a", `${at}/file`),
  "the real path goes without links and dots": (f, at) =>
    ["", "/to-full/up", "/full/../full/./inner", "/absolute"].map((name) =>
      path.relative(at, f.realpathSync(at + name)),
    ),
  "a link that leads nowhere has no real path": (f, at) => f.realpathSync(`${at}/gone`),
  "a file is renamed over another": (f, at) => {
    f.renameSync(`${at}/file`, `${at}/full/inner`);
    return [f.readdirSync(at).toSorted(), f.readFileSync(`${at}/full/inner`, "utf8")];
  },
  "a link is renamed itself": (f, at) => {
    f.renameSync(`${at}/to-nowhere`, `${at}/moved`);
    return f.readlinkSync(`${at}/moved`);
  },
  "a folder is renamed with what is in it": (f, at) => {
    f.renameSync(`${at}/full`, `${at}/empty`);
    return [f.readdirSync(`${at}/empty`).toSorted(), f.readdirSync(at).toSorted()];
  },
  "a file is renamed to itself": (f, at) => {
    f.renameSync(`${at}/file`, `${at}/./file`);
    return f.readFileSync(`${at}/file`, "utf8");
  },
  "what is missing is not renamed": (f, at) => f.renameSync(`${at}/gone`, `${at}/a`),
  "nor below a missing folder": (f, at) => f.renameSync(`${at}/file`, `${at}/gone/a`),
  "nor a folder into itself": (f, at) => f.renameSync(`${at}/full`, `${at}/full/a`),
  "nor a file over a folder": (f, at) => f.renameSync(`${at}/file`, `${at}/empty`),
  "nor a folder over a file": (f, at) => f.renameSync(`${at}/empty`, `${at}/file`),
  "nor a folder over a full one": (f, at) => f.renameSync(`${at}/empty`, `${at}/full`),
  "a file is unlinked": (f, at) => {
    f.unlinkSync(`${at}/file`);
    f.unlinkSync(`${at}/to-full`);
    return [f.readdirSync(at).toSorted(), f.readdirSync(`${at}/full`).length];
  },
  "what is missing is not unlinked": (f, at) => f.unlinkSync(`${at}/gone`),
  "an empty folder is removed": (f, at) => {
    f.rmdirSync(`${at}/empty`);
    return f.readdirSync(at).toSorted();
  },
  "a full one is not": (f, at) => f.rmdirSync(`${at}/full`),
  "nor a file as a folder": (f, at) => f.rmdirSync(`${at}/file`),
  "nor a missing one": (f, at) => f.rmdirSync(`${at}/gone`),
  "rm removes a file, and with all in it a folder": (f, at) => {
    f.rmSync(`${at}/file`);
    f.rmSync(`${at}/full`, { recursive: true });
    f.rmSync(`${at}/gone`, { force: true });
    f.rmSync(`${at}/gone/a`, { force: true });
    return f.readdirSync(at).toSorted();
  },
  "through an open folder its entries are found": (f, at) =>
    withOpen(f, `${at}/full`, O_RDONLY, (one) => [
      f.readFileSync(`/proc/self/fd/${one}/inner`, "utf8"),
      f.readFileSync(`/proc/self/fd/${one}/../file`, "utf8"),
      kindOf(f.statSync(`/proc/self/fd/${one}`)),
      kindOf(f.fstatSync(one)),
    ]),
};

function outcome(call: (files: Files, at: string) => unknown, files: Files, at: string): unknown {
  try {
    return { gives: JSON.parse(JSON.stringify(call(files, at) ?? null)) as unknown };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { code, says: message.split(",")[0] };
  }
}

test.each(Object.keys(calls))("%s", (name) => {
  const call = calls[name];
  if (call === undefined) throw new Error("expected a call");
  furnish(fs, real);
  furnish(disk as unknown as Files, FOLDER);
  expect(outcome(call, disk as unknown as Files, FOLDER)).toEqual(outcome(call, fs, real));
});

test.each<[string, (disk: MemoryDisk) => unknown]>([
  ["ENOENT: no such file or directory, open '/m/gone'", (own) => own.openSync("/m/gone")],
  ["EEXIST: file already exists, open '/m/file'", (own) => own.openSync("/m/file", O_CREAT | O_EXCL)],
  ["ELOOP: too many symbolic links encountered, open '/m/link'", (own) => own.openSync("/m/link", O_NOFOLLOW)],
  ["EISDIR: illegal operation on a directory, open '/m/folder'", (own) => own.openSync("/m/folder", O_WRONLY)],
  ["EBADF: bad file descriptor, close", (own) => own.closeSync(7)],
  ["EBADF: bad file descriptor, fstat", (own) => own.fstatSync(7)],
  ["EBADF: bad file descriptor, read", (own) => own.readFileSync(7)],
  ["EBADF: bad file descriptor, read", (own) => own.readSync(7, Buffer.alloc(1), 0, 1, 0)],
  ["EBADF: bad file descriptor, write", (own) => own.writeFileSync(7, "")],
  ["EBADF: bad file descriptor, fchmod", (own) => own.fchmodSync(7, 0)],
  ["EBADF: bad file descriptor, fchown", (own) => own.fchownSync(7, 0, 0)],
  ["EBADF: bad file descriptor, stat", (own) => own.statSync("/proc/self/fd/7")],
  ["ENOENT: no such file or directory, lstat '/m/gone'", (own) => own.lstatSync("/m/gone")],
  ["ENOENT: no such file or directory, stat '/m/gone'", (own) => own.statSync("/m/gone")],
  ["ENOTDIR: not a directory, stat '/m/file/a'", (own) => own.statSync("/m/file/a")],
  ["EEXIST: file already exists, mkdir '/m/file'", (own) => own.mkdirSync("/m/file")],
  ["EEXIST: file already exists, mkdir '/m/file'", (own) => own.mkdirSync("/m/file", { recursive: true })],
  ["ENOENT: no such file or directory, mkdir '/m/link'", (own) => own.mkdirSync("/m/link", { recursive: true })],
  ["ENOENT: no such file or directory, open '/m/gone'", (own) => own.readFileSync("/m/gone")],
  ["EISDIR: illegal operation on a directory, read", (own) => own.readFileSync("/m/folder")],
  ["ENOTDIR: not a directory, scandir '/m/file'", (own) => own.readdirSync("/m/file")],
  ["ENOENT: no such file or directory, scandir '/m/gone'", (own) => own.readdirSync("/m/gone")],
  ["EINVAL: invalid argument, readlink '/m/file'", (own) => own.readlinkSync("/m/file")],
  ["ENOENT: no such file or directory, realpath '/m/gone'", (own) => own.realpathSync("/m/gone")],
  ["ENOENT: no such file or directory, rename '/m/gone'", (own) => own.renameSync("/m/gone", "/m/a")],
  ["EINVAL: invalid argument, rename '/m/folder/a'", (own) => own.renameSync("/m/folder", "/m/folder/a")],
  ["EISDIR: illegal operation on a directory, rename '/m/folder'", (own) => own.renameSync("/m/file", "/m/folder")],
  ["ENOTDIR: not a directory, rename '/m/file'", (own) => own.renameSync("/m/folder", "/m/file")],
  ["ENOTDIR: not a directory, rmdir '/m/file'", (own) => own.rmdirSync("/m/file")],
  ["ENOENT: no such file or directory, rmdir '/m/gone'", (own) => own.rmdirSync("/m/gone")],
  ["ENOENT: no such file or directory, unlink '/m/gone'", (own) => own.unlinkSync("/m/gone")],
  ["EISDIR: illegal operation on a directory, unlink '/m/folder'", (own) => own.unlinkSync("/m/folder")],
  ["EISDIR: illegal operation on a directory, rm '/m/folder'", (own) => own.rmSync("/m/folder")],
  ["ENOENT: no such file or directory, rm '/m/gone'", (own) => own.rmSync("/m/gone")],
  ["EEXIST: file already exists, symlink '/m/file'", (own) => own.symlinkSync("a", "/m/file")],
  ["ENOENT: no such file or directory, chmod '/m/gone'", (own) => own.chmodSync("/m/gone", 0)],
  ["ENOENT: no such file or directory, chown '/m/gone'", (own) => own.chownSync("/m/gone", 0, 0)],
  ["ENOENT: no such file or directory, lchown '/m/gone'", (own) => own.lchownSync("/m/gone", 0, 0)],
])("an error names the call and the path: %s", (message, call) => {
  const own = new MemoryDisk("/m");
  own.writeFileSync("/m/file", "");
  own.mkdirSync("/m/folder");
  own.symlinkSync("nowhere", "/m/link");
  const [, code, syscall, at] = /^(\w+): .+, (\w+)(?: '(.*)')?$/.exec(message) ?? [];
  expect(() => call(own)).toThrow(expect.objectContaining({ message, code, syscall, path: at }));
});

test("a link that leads out of the disk leads nowhere; 40 links lead somewhere, 41 do not", () => {
  const own = new MemoryDisk("/m");
  own.symlinkSync("/etc/passwd", "/m/out");
  expect(() => own.readFileSync("/m/out")).toThrow("ENOENT: no such file or directory, open '/m/out'");
  own.writeFileSync("/m/0", "end");
  for (let n = 1; n <= 41; n++) own.symlinkSync(String(n - 1), `/m/${n}`);
  expect(own.readFileSync("/m/40", "utf8")).toBe("end");
  expect(() => own.readFileSync("/m/41")).toThrow("ELOOP: too many symbolic links encountered, open '/m/41'");
});

test("owners change, of a file, a link and what is open", () => {
  const own = new MemoryDisk("/m");
  own.writeFileSync("/m/file", "");
  own.symlinkSync("file", "/m/link");
  own.chownSync("/m/link", 1, 2);
  own.lchownSync("/m/link", 3, 4);
  const owners = () => ["/m/file", "/m/link"].map((one) => [own.lstatSync(one)?.uid, own.lstatSync(one)?.gid]);
  expect(owners()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  const descriptor = own.openSync("/m/file");
  own.fchownSync(descriptor, -1, 5);
  expect([own.has(descriptor), owners()[0]]).toEqual([true, [1, 5]]);
  own.closeSync(descriptor);
  expect(own.has(descriptor)).toBe(false);
});

test("each file has a number of its own, and is on the first mount", () => {
  const own = new MemoryDisk("/m");
  own.writeFileSync("/m/a", "");
  own.writeFileSync("/m/b", "");
  const numbers = ["/m", "/m/a", "/m/b"].map((one) => own.statSync(one)?.ino);
  expect(new Set(numbers).size).toBe(3);
  expect(own.statSync("/m/a")).toMatchObject({ dev: 1, nlink: 1, size: 0 });
  expect(own.readFileSync("/proc/self/fdinfo/5", "utf8")).toBe("mnt_id:\t1\n");
});
