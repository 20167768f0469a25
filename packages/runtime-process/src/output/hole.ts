/** Where the output of a container begins of which nobody knows any more how much was taken and freed. */
import type { FileHandle } from "node:fs/promises";

/** Holes are made of whole ones. */
export const BLOCK = 4096;
const CHUNK = 64 * BLOCK;
const ZEROS = Buffer.alloc(BLOCK);

/** Bytes from the start of the file that were freed; 0 where it has no hole. `blocks` of 512 bytes, as stat(2) has it. */
export async function behindHole(
  file: FileHandle,
  { size, blocks }: { readonly size: bigint; readonly blocks: bigint },
): Promise<number> {
  if (blocks * 512n >= size) return 0;
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; ; at += CHUNK) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, at);
    const empty = emptyBlocks(chunk.subarray(0, bytesRead));
    if (empty < CHUNK) return at + empty;
  }
}

/** Length of the whole blocks of zeros at the start. Pure. */
function emptyBlocks(bytes: Buffer): number {
  let at = 0;
  while (at + BLOCK <= bytes.length && bytes.compare(ZEROS, 0, BLOCK, at, at + BLOCK) === 0) at += BLOCK;
  return at;
}
