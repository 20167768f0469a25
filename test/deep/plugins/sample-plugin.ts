/** The device plugin of the Kubernetes node tests: a Go program that this repository does not hold. */
import { execFile, execFileSync } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../sources.js";

const run = promisify(execFile);

/** Its resource, with the devices Dev-1 and Dev-2. */
export const SAMPLE = "example.com/resource";

/** Why the Kubernetes sample plugin cannot be built here. */
export function lackingSample(): string | undefined {
  if (process.getuid?.() !== 0) return "its mount namespace needs root";
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "Go is not installed";
  }
}

export async function buildSample(): Promise<string> {
  const { stdout } = await run(process.execPath, [path.join(root, "scripts/sample-device-plugin.mjs")]);
  return stdout.trim();
}
