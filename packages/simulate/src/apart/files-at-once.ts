/**
 * For a process that runs one simulation and nothing else: its file requests are done at once, by the thread that asks. They are small
 * and lie in memory, so that waking another thread for each takes ten times as long; nothing of them has to outlive the run, so that
 * nothing is synced; and what is done at once is done in one order only. To be imported before anything that takes functions of
 * node:fs with it.
 */
import fs, { promises } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const AT_ONCE = {
  chmod: fs.chmodSync,
  chown: fs.chownSync,
  lstat: fs.lstatSync,
  mkdir: fs.mkdirSync,
  mkdtemp: fs.mkdtempSync,
  readFile: fs.readFileSync,
  readdir: fs.readdirSync,
  readlink: fs.readlinkSync,
  realpath: fs.realpathSync,
  rename: fs.renameSync,
  rm: fs.rmSync,
  rmdir: fs.rmdirSync,
  stat: fs.statSync,
  unlink: fs.unlinkSync,
  writeFile: fs.writeFileSync,
} as const;

type Asked = (...args: readonly unknown[]) => unknown;

/** A handle of its own keeps its own requests. */
const isPath = (value: unknown): boolean =>
  typeof value === "string" || value instanceof URL || value instanceof Uint8Array;

for (const [name, atOnce] of Object.entries(AT_ONCE)) {
  const known = promises as unknown as Record<string, Asked>;
  const before = known[name] as Asked;
  known[name] = async (...args) => (isPath(args[0]) ? (atOnce as unknown as Asked)(...args) : before(...args));
}

fs.fsync = ((_: number, done: (error: Error | null) => void) => done(null)) as typeof fs.fsync;

syncBuiltinESMExports();
