/** What a container wrote, of a log in the CRI format. */
export function contentOf(log: string): string {
  return log.replaceAll(/^\S+ stdout ([PF]) ([^\n]*)\n/gm, (_, tag: string, rest: string) =>
    tag === "F" ? `${rest}\n` : rest,
  );
}
