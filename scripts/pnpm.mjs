// Runs pnpm 12 whatever the machine has: only Node and npm are needed.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { installedText, isInstalled } from "./installed.mjs";
import { buildProgress, step } from "./steps.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the repository's root; ends this process with its exit code when it fails. */
export function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

export function pnpm(...args) {
  run("npx", ["--yes", "pnpm@12", ...args]);
}

/** Dependencies as the lockfile has them, then the build and the bundle. All are quick when there is nothing to do. */
export async function installAndBuild() {
  if (!isInstalled(root)) {
    // Warnings left out: tools of the development that would rather have a newer Node.
    const args = ["--yes", "pnpm@12", "install", "--frozen-lockfile", "--reporter=append-only", "--loglevel=error"];
    const far = { text: () => installedText(root) };
    await step("Installing what hooklet needs (the first time: a minute or more)", "npx", args, { cwd: root, far });
  }
  const tsc = path.join(root, "node_modules/.bin/tsc");
  const args = ["--build", "--verbose", ...(process.stdout.isTTY ? ["--pretty"] : [])];
  const title = "Building (nothing to do: a second; all of it: half a minute on two cores)";
  await step(title, tsc, args, { cwd: root, far: buildProgress() });
  // Loaded late: what it needs may have been installed just now.
  await (await import("./bundle.mjs")).bundle();
}
