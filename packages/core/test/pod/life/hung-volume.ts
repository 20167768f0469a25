/** A file system that never answers: FUSE without a server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";

export const canHang = process.getuid?.() === 0 && hasFuse();

/** Mounts it; the returned function removes it, and waiting calls get an error. */
export async function hangOn(directory: string): Promise<() => Promise<void>> {
  const script = `exec 3<>/dev/fuse
mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 hung "$1" && echo mounted
read -r _
umount -i -l "$1"`;
  const server = spawn("sh", ["-c", script, "sh", directory], { stdio: ["pipe", "pipe", "inherit"] });
  const [said] = (await once(server.stdout, "data")) as [Buffer];
  if (said.toString() !== "mounted\n") throw new Error("no hanging file system could be mounted");
  return async () => {
    const gone = once(server, "exit");
    server.stdin.end("\n");
    await gone;
  };
}

function hasFuse(): boolean {
  try {
    accessSync("/dev/fuse", constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
