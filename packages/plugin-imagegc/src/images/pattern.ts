/** Patterns of option `protect`. */
import type { ImageRecord } from "./record.js";

/**
 * Whether one of the image's names fits: `*` stands for any text. A pattern without a tag fits every tag of its repository,
 * and names of Docker Hub fit in their short spellings as well. The id fits too.
 */
export function protectedBy(patterns: readonly string[], image: Pick<ImageRecord, "names" | "id">): string | undefined {
  if (patterns.length === 0) return undefined;
  const spellings = [image.id, ...image.names.flatMap((name) => [name, repositoryOf(name)])].flatMap(familiar);
  return patterns.find((pattern) => spellings.some((spelling) => fits(pattern, spelling)));
}

/** The name without tag and digest. */
export function repositoryOf(name: string): string {
  const [beforeDigest = ""] = name.split("@");
  const colon = beforeDigest.lastIndexOf(":");
  return colon > beforeDigest.lastIndexOf("/") ? beforeDigest.slice(0, colon) : beforeDigest;
}

function familiar(name: string): readonly string[] {
  const short = name.replace(/^docker\.io\//, "");
  return short === name ? [name] : [name, short, short.replace(/^library\//, "")];
}

/** Greedy, with one place to fall back to: no pattern takes longer than its length times that of the text. */
function fits(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let after = 0;
  let i = 0;
  while (i < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      after = i;
    } else if (pattern[at] === text[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++after;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
