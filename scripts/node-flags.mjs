import { readFileSync } from "node:fs";

/** The flags for Node in the first line of a program, for scripts that start it with another Node or under another process name. */
export function nodeFlags(program) {
  const [first = ""] = readFileSync(program, "utf8").split("\n");
  const flags = first.split(" ").filter((word) => word.startsWith("--"));
  if (flags.length === 0) throw new Error(`${program}: expected flags of Node in its first line, found ${first}`);
  return flags;
}
