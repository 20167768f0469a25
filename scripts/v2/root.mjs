// The guest's files: this machine's node and tools with their libraries, and the built project with what it depends on.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

const HERE = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
/** What the process runtime starts containers with, what their scripts call, and what measures disks. */
const TOOLS = [
  "sh",
  "flock",
  "setsid",
  "setpriv",
  "unshare",
  "nsenter",
  "mount",
  "umount",
  "env",
  "du",
  "tail",
  "sleep",
  "cat",
];
const FOLDERS = [
  "usr/bin",
  "usr/sbin",
  "usr/lib",
  "usr/lib64",
  "proc",
  "sys",
  "dev",
  "tmp",
  "run",
  "etc",
  "root",
  "var/lib",
];

/** Path of an initramfs, made in `work`. */
export function buildInitramfs({ repository, work, modules }) {
  const root = path.join(work, "root");
  for (const folder of FOLDERS) mkdirSync(path.join(root, folder), { recursive: true });
  for (const name of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${name}`, path.join(root, name));
  copyProgram(process.execPath, path.join(root, "usr/bin/node"), root);
  for (const name of TOOLS) copyProgram(which(name), path.join(root, "usr/bin", name), root);
  copyFileSync(which("busybox"), path.join(root, "usr/bin/busybox"));
  for (const module of modules) copyFileSync(module, path.join(root, "usr/lib", path.basename(module)));
  writeFileSync(path.join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  writeFileSync(path.join(root, "etc/group"), "root:x:0:\n");
  writeFileSync(path.join(root, "etc/hosts"), "127.0.0.1 localhost\n");
  writeFileSync(path.join(root, "etc/resolv.conf"), "nameserver 127.0.0.1\n");
  for (const name of ["init", "init-root"]) {
    copyFileSync(path.join(HERE, name), path.join(root, name));
    chmodSync(path.join(root, name), 0o755);
  }
  copyProject(repository, path.join(root, "hooklet"));
  for (const file of ["scripts/v2/guest.mjs", "scripts/machine.mjs"]) {
    mkdirSync(path.dirname(path.join(root, "hooklet", file)), { recursive: true });
    copyFileSync(path.join(repository, file), path.join(root, "hooklet", file));
  }
  const initramfs = path.join(work, "initramfs");
  execFileSync("sh", ["-c", `busybox find . | busybox cpio -o -H newc > "$1" 2>/dev/null`, "sh", initramfs], {
    cwd: root,
  });
  return initramfs;
}

function which(name) {
  return realpathSync(execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" }).trim());
}

/** A program with the libraries that it names. */
function copyProgram(from, to, root) {
  copyFileSync(from, to);
  chmodSync(to, 0o755);
  for (const [library] of execFileSync("ldd", [from], { encoding: "utf8" }).matchAll(/\/\S+/g)) {
    const place = path.join(root, library.replace(/^\/(lib|lib64)\//, "/usr/$1/"));
    mkdirSync(path.dirname(place), { recursive: true });
    if (!existsSync(place)) copyFileSync(realpathSync(library), place);
  }
}

/** The package `hooklet` and all that it needs at run time, with the links by which they find each other. */
function copyProject(repository, target) {
  const open = [realpathSync(path.join(repository, "packages/hooklet"))];
  const done = new Set();
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (done.has(folder)) continue;
    done.add(folder);
    const own = new Set(["node_modules", "src", "test"].map((name) => path.join(folder, name)));
    const isOurs = !folder.includes("node_modules");
    const filter = (file) => file !== path.join(folder, "node_modules") && !(isOurs && own.has(file));
    cpSync(folder, path.join(target, path.relative(repository, folder)), { recursive: true, filter });
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
    } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const link = linkTo(name, folder, repository);
      if (link === undefined) continue;
      open.push(realpathSync(link));
      if (lstatSync(link).isSymbolicLink()) copyLink(link, path.join(target, path.relative(repository, link)));
    }
  }
}

/** Where Node finds a package from a folder; undefined for one that is not installed (optional). */
function linkTo(name, folder, repository) {
  for (let above = folder; above.length >= repository.length - 1; above = path.dirname(above)) {
    if (path.basename(above) === "node_modules") continue;
    const link = path.join(above, "node_modules", name);
    if (existsSync(link)) return link;
  }
  return undefined;
}

function copyLink(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  if (!existsSync(to) && lstatSync(to, { throwIfNoEntry: false }) === undefined) symlinkSync(readlinkSync(from), to);
}
