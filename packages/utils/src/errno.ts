/** The errno of a failed system call, for example `ENOENT`; undefined for any other error. */
export function errno(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** What `call` gives; `otherwise` in place of an error with one of these codes. */
export function unless<T, U>(codes: readonly string[], otherwise: U, call: () => T): T | U {
  try {
    return call();
  } catch (error) {
    if (codes.includes(errno(error) ?? "")) return otherwise;
    throw error;
  }
}

/** The result of `call`; `otherwise` when it fails with ENOENT or another of these codes. Rejects with any other error. */
export async function whenGone<T, U>(
  otherwise: U,
  call: () => T | Promise<T>,
  codes: readonly string[] = ["ENOENT"],
): Promise<T | U> {
  try {
    return await call();
  } catch (error) {
    if (codes.includes(errno(error) ?? "")) return otherwise;
    throw error;
  }
}
