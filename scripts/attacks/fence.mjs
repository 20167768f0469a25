// What an attack gets hold of must not be the machine: attacks run with mounts, processes and IPC of their own, which end with them,
// and no process of theirs has more memory than a small part of it. An agent under attack may be an old one, of which anything is to be expected.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { removeFolder } from "../machine.mjs";

const INSIDE = "HOOKLET_ATTACKS_FOLDER";
const MINUTES = 40;
const BYTES = 3 * 2 ** 30;

export function isFenced() {
  return process.env[INSIDE] !== undefined;
}

/** The same command again, inside of the fence; its exit code. The folder goes when nothing of it can be mounted or run any more. */
export function runFenced() {
  const folder = mkdtempSync(path.join(tmpdir(), "hooklet-attacks-"));
  chmodSync(folder, 0o755);
  const own = ["--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc", "--ipc"];
  const bounds = ["prlimit", `--data=${BYTES}`, "timeout", "--kill-after=10", `${MINUTES}m`];
  // The first process of a PID namespace has to wait for orphans, which a shell does.
  const first = ["sh", "-c", '"$@" & wait $!', "sh"];
  const command = [...own, ...first, ...bounds, process.execPath, ...process.argv.slice(1)];
  try {
    const env = { ...process.env, [INSIDE]: folder, TMPDIR: folder };
    const { status, error } = spawnSync("unshare", command, { stdio: "inherit", env });
    if (error) throw error;
    return status ?? 1;
  } finally {
    removeFolder(folder);
  }
}
