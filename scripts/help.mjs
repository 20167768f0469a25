// `--help` of the scripts that package.json names: the comment that a script begins with says what it does and how it is called.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Prints that comment and ends this process where help is asked for; to be called before anything is done.
 * @param script URL of the script's file
 * @param words what was typed after its name
 */
export function tellHelp(script, words = process.argv.slice(2)) {
  if (!words.includes("--help") && !words.includes("-h")) return;
  console.log(helpOf(readFileSync(fileURLToPath(script), "utf8")));
  process.exit(0);
}

/** The comment that a program's text begins with, without its marks. */
export function helpOf(text) {
  const lines = text.replace(/^#!.*\n/, "").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n");
}
