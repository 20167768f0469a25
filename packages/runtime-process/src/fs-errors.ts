import { errno } from "@hooklet/core/subsystem";

/** The file, or the process that it describes, does not exist. */
export function isMissing(error: unknown): boolean {
  const code = errno(error);
  return code === "ENOENT" || code === "ENOTDIR" || code === "ESRCH";
}

/** Undefined in place of "it is not there"; any other error passes on. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Settles the given error codes as done: `rmdir` of a folder that others still use, for example. */
export async function allowing(codes: readonly string[], work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    const code = errno(error);
    if (code !== undefined && codes.includes(code)) return false;
    throw error;
  }
}
