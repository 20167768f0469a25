/** A folder or file of this machine as a tar stream. */
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorText, NodeAgentError } from "@hooklet/utils";
import { type Pack, pack } from "tar-stream";

/** Its first entry is called `name`. What is neither file, folder nor link is left out. @throws NodeAgentError INVALID when it is not there */
export async function packTree(path: string, name: string): Promise<Readable> {
  await lstat(path).catch((cause: unknown) => {
    throw new NodeAgentError("INVALID", `Cannot read ${path}: ${errorText(cause)}`, { cause });
  });
  const tar = pack();
  add(tar, path, name).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return tar as unknown as Readable;
}

async function add(tar: Pack, path: string, name: string): Promise<void> {
  const found = await lstat(path);
  const header = { name, mode: found.mode & 0o7777, mtime: found.mtime };
  if (found.isDirectory()) {
    tar.entry({ ...header, name: `${name}/`, type: "directory" });
    for (const inner of (await readdir(path)).sort()) await add(tar, join(path, inner), `${name}/${inner}`);
  } else if (found.isSymbolicLink()) {
    tar.entry({ ...header, type: "symlink", linkname: await readlink(path) });
  } else if (found.isFile()) {
    const entry = tar.entry({ ...header, type: "file", size: found.size });
    // A file that grows meanwhile is packed as far as it was.
    const content = found.size === 0 ? undefined : createReadStream(path, { end: found.size - 1 });
    if (content === undefined) entry.end(null);
    else await pipeline(content, entry as unknown as NodeJS.WritableStream);
  }
}
