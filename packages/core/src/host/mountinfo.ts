/** Lines of /proc/self/mountinfo. Pure. */

/** Where the line's mount is, as a path; empty for a line that is none. */
export function mountPointOf(line: string): string {
  const [before = ""] = line.split(" - ");
  return (before.split(" ")[4] ?? "").replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
