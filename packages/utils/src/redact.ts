/** Pure. */

/** The replacement of passwords in Go's url.Redacted. */
const REDACTED = "xxxxx";

/** A text without the passwords of the URLs in it: `https://me:secret@host/` becomes `https://me:xxxxx@host/`. Pure. */
export function withoutPasswords(text: string): string {
  return text.replace(/(\/\/[^/?#\s:@"]*):[^/?#\s"]*@/g, `$1:${REDACTED}@`);
}
