/** The errno of a failed system call, for example `ENOENT`; undefined for any other error. */
export function errno(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
