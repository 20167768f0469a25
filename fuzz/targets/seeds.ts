import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";

/** The repository, from the sources as from `dist`. */
const here = fileURLToPath(new URL(".", import.meta.url));
export const ROOT = path.join(here, here.includes(`${path.sep}dist${path.sep}`) ? "../../.." : "../..");

/** Files of these folders, as they are and, where they are YAML, as JSON as well. */
export function yamlSeeds(...folders: readonly string[]): readonly Uint8Array[] {
  return folders.flatMap((folder) => {
    const files = readdirSync(path.join(ROOT, folder)).filter((name) => /\.ya?ml$/.test(name));
    return files.flatMap((name) => {
      const text = readFileSync(path.join(ROOT, folder, name), "utf8");
      const values = parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as unknown);
      const objects = values.filter((value) => typeof value === "object" && value !== null);
      return [text, ...objects.map((value) => JSON.stringify(value))].map((one) => Buffer.from(one));
    });
  });
}
