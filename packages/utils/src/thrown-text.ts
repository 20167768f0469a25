/** Where in a plugin or strategy an error was thrown. Pure. */

import { errorText } from "@hooklet/manifest/messages";

/** Where hooklet's own packages lie: built, from their sources, installed, or as the bundle of hooklet. */
const OWN = pathOf(new URL("../../", import.meta.url).href);
const PLACE = /^ {4}at (?:.*\(|\w+ )?(?<file>(?:file:\/\/)?\/[^()]*?)(?<place>:\d+:\d+)\)?$/;

/** `own`: a folder whose files are not named, as those of libraries are not. */
export function thrownText(error: unknown, own = OWN): string {
  const place = placeOf(error, own);
  return place === undefined ? errorText(error) : `${errorText(error)} (${place})`;
}

/** The topmost line of the stack outside of hooklet and of libraries. Never throws, even if reading the stack does. */
function placeOf(error: unknown, own: string): string | undefined {
  try {
    const stack: unknown = error instanceof Error ? error.stack : undefined;
    if (typeof stack !== "string") return undefined;
    for (const line of stack.split("\n")) {
      const { file = "", place = "" } = PLACE.exec(line)?.groups ?? {};
      const path = pathOf(file);
      if (path !== "" && !path.startsWith(own) && !path.includes("/node_modules/")) return `${path}${place}`;
    }
  } catch {
    // Foreign errors may throw when their stack is read.
  }
  return undefined;
}

/** Of a URL, or the path that it is already. */
function pathOf(file: string): string {
  return file.startsWith("file://") ? decodeURIComponent(new URL(file).pathname) : file;
}

/** The replacement of passwords in Go's url.Redacted. */
const REDACTED = "xxxxx";

/** A text without the passwords of the URLs in it: `https://me:secret@host/` becomes `https://me:xxxxx@host/`. Pure. */
export function withoutPasswords(text: string): string {
  return text.replace(/(\/\/[^/?#\s:@"]*):[^/?#\s"]*@/g, `$1:${REDACTED}@`);
}
