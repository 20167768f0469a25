/** The errno of a failed system call, for example `ENOENT`; undefined for any other error. */
export function errno(error) {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
/** What `call` gives; `otherwise` in place of an error with one of these codes. */
export function unless(codes, otherwise, call) {
  try {
    return call();
  } catch (error) {
    if (codes.includes(errno(error) ?? "")) return otherwise;
    throw error;
  }
}
/** What `call` gives; `otherwise` when the file that it asks for is not there (ENOENT). Any other error passes on. */
export async function whenGone(otherwise, call) {
  try {
    return await call();
  } catch (error) {
    if (errno(error) === "ENOENT") return otherwise;
    throw error;
  }
}
