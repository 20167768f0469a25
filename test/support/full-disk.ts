import { open, statfs } from "node:fs/promises";
import path from "node:path";

/** Writes a file into the folder until its disk has not a byte left. */
export async function fillDisk(folder: string): Promise<void> {
  const file = await open(path.join(folder, "filler"), "w");
  try {
    for (const size of [1024 ** 2, 4096, 1]) {
      while (await file.write(Buffer.alloc(size)).then(({ bytesWritten }) => bytesWritten === size, isFull));
    }
    await file.sync().catch(isFull);
  } finally {
    await file.close();
  }
  const { bavail } = await statfs(folder);
  if (bavail > 0) throw new Error(`expected a full disk at ${folder}, found ${bavail} free blocks`);
}

function isFull(error: NodeJS.ErrnoException): false {
  if (error.code !== "ENOSPC") throw error;
  return false;
}
