// `npm run release:tarball FOLDER`: installs, builds, and writes hooklet-VERSION-linux-x64.tar.gz into FOLDER: hooklet with a Node of its own, for
// machines that have none. Unpack it there and run its install.sh. On an arm64 machine it makes that of arm64.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { tellHelp } from "./help.mjs";
import { nodeFlags } from "./node-flags.mjs";
import { installAndBuild, root } from "./pnpm.mjs";

tellHelp(import.meta.url);

/** The line of Node with the longest support left. npm checks what it fetches against its registry. */
const NODE = `node-linux-${process.arch}@24`;
/** Of the package hooklet, all that runs: `dist` is what the bundle was made of. */
const PARTS = ["bin", "bundle", "docs", "hookletrc.schema.json", "package.json", "packaging", "README.md"];

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Expected the folder to put the tarball into: npm run release:tarball /tmp/hooklet");
  process.exit(1);
}
const target = path.resolve(process.env.INIT_CWD ?? ".", folder);
mkdirSync(target, { recursive: true });
await installAndBuild();
await import("./copy-docs.mjs");

const hooklet = path.join(root, "packages/hooklet");
const { version } = JSON.parse(readFileSync(path.join(hooklet, "package.json"), "utf8"));
const name = `hooklet-${version}-linux-${process.arch}`;
const work = mkdtempSync(path.join(tmpdir(), "hooklet-release-"));
try {
  const place = path.join(work, name);
  const lib = path.join(place, "lib");
  for (const part of PARTS) cpSync(path.join(hooklet, part), path.join(lib, part), { recursive: true });
  // The one package that the bundle leaves out and hooklet loads: TypeScript in rc files and plugins.
  const swc = path.dirname(createRequire(path.join(hooklet, "package.json")).resolve("@swc/wasm-typescript"));
  cpSync(swc, path.join(lib, "node_modules/@swc/wasm-typescript"), { recursive: true, dereference: true });
  addNode(place, lib);
  cpSync(path.join(root, "LICENSE"), path.join(place, "LICENSE"));
  cpSync(path.join(hooklet, "packaging/install.sh"), path.join(place, "install.sh"));
  write(path.join(place, "bin/hooklet"), launcher());
  const file = path.join(target, `${name}.tar.gz`);
  const owned = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+w,go-w,a+rX"];
  execFileSync("tar", ["--create", "--gzip", `--file=${file}`, `--directory=${work}`, ...owned, name]);
  console.log(`${file}: ${(statSync(file).size / 2 ** 20).toFixed(0)} MiB`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function addNode(place, lib) {
  const npm = (...args) =>
    execFileSync("npm", args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  npm("pack", "--silent", NODE);
  const packed = readdirSync(work).find((file) => file.endsWith(".tgz"));
  execFileSync("tar", ["--extract", `--file=${packed}`, "package/bin/node", "package/LICENSE"], { cwd: work });
  cpSync(path.join(work, "package/bin/node"), path.join(lib, "node"));
  cpSync(path.join(work, "package/LICENSE"), path.join(place, "LICENSE.node"));
}

/** As the first line of bin/hooklet.js, with the Node beside it. */
function launcher() {
  return [
    "#!/bin/sh",
    'lib=$(dirname "$(dirname "$(readlink -f "$0")")")/lib',
    `exec "$lib/node" ${nodeFlags(path.join(hooklet, "bin/hooklet.js")).join(" ")} "$lib/bin/hooklet.js" "$@"`,
    "",
  ].join("\n");
}

function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
