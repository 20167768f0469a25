import { readFileSync } from "node:fs";

/** The flags for Node in the first line of a program, for those who start it by another Node or another name. */
export function nodeFlags(program) {
  const [first = ""] = readFileSync(program, "utf8").split("\n");
  return first.split(" ").filter((word) => word.startsWith("--"));
}
