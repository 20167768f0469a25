/** Patterns of option `protect`. Pure. */
import type { ImageRecord } from "./record.js";

const HUB = "docker.io/";
const LIBRARY = "library/";

/**
 * Whether one of the image's names fits: `*` stands for any text. A pattern without a tag fits every tag of its repository,
 * and names of Docker Hub fit in their short spellings as well. The id fits too.
 */
export function protectedBy(patterns: readonly string[], image: Pick<ImageRecord, "names" | "id">): string | undefined {
  if (patterns.length === 0) return undefined;
  const spellings = new Set([image.id]);
  for (const name of image.names) {
    for (const one of [name, repositoryOf(name)]) {
      spellings.add(one);
      if (!one.startsWith(HUB)) continue;
      const short = one.slice(HUB.length);
      spellings.add(short).add(short.startsWith(LIBRARY) ? short.slice(LIBRARY.length) : short);
    }
  }
  for (const pattern of patterns) for (const spelling of spellings) if (fits(pattern, spelling)) return pattern;
  return undefined;
}

/** The name without tag and digest. */
export function repositoryOf(name: string): string {
  const at = name.indexOf("@");
  const beforeDigest = at < 0 ? name : name.slice(0, at);
  const colon = beforeDigest.lastIndexOf(":");
  return colon > beforeDigest.lastIndexOf("/") ? beforeDigest.slice(0, colon) : beforeDigest;
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
