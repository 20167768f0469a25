/** What is published: its tarballs, and how people install them. */
import { execFile } from "node:child_process";
import { mkdir, readdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../sources.js";

const run = promisify(execFile);

/** Paths of the tarballs of all packages, in a folder of their own below `folder`. */
export async function packed(folder: string): Promise<readonly string[]> {
  const target = path.join(folder, "tarballs");
  await mkdir(target);
  const args = ["--yes", "pnpm@12", "--filter", "./packages/*", "-r", "pack", "--pack-destination", target];
  await run("npx", args, { cwd: root });
  return (await readdir(target)).map((file) => path.join(target, file));
}

/** Makes an empty folder with all tarballs installed, by whichever Node; returns npm's words. */
export async function install(place: string, tarballs: readonly string[], node = process.execPath): Promise<string> {
  await mkdir(place);
  const manifest = { name: path.basename(place), private: true, type: "module" };
  await writeFile(path.join(place, "package.json"), JSON.stringify(manifest));
  return npm(place, node, ["install", "--engine-strict", ...tarballs]);
}

export async function npm(place: string, node: string, args: readonly string[]): Promise<string> {
  const { stdout: found } = await run("sh", ["-c", "command -v npm"]);
  const script = await realpath(found.trim());
  const PATH = `${path.dirname(node)}:${process.env.PATH}`;
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
  const { stdout, stderr } = await run(node, [script, ...args, ...quiet], {
    cwd: place,
    env: { ...process.env, PATH },
  });
  // What this machine's own settings bring about; and npm 12 tells of every package with an install script, protobufjs here, that it
  // does not run it: nothing needs it.
  return `${stdout}${stderr}`.replaceAll(/^npm warn (?:Unknown|install-scripts).*\n/gm, "");
}
