import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { sourcePlugins } from "../../../packages/hooklet/src/default-plugins.js";
import { packageSources, root, type SourceFile } from "../../sources.js";

/** The plugins of the design, those that are here already and those to come. */
const DESIGNED = [
  "plugin-probe",
  "plugin-imagegc",
  "plugin-devices",
  "plugin-preemption",
  "plugin-shutdown",
  "plugin-cgroups",
  "plugin-eviction",
  "plugin-stats",
];

/** The seams of a plugin are its own: who binds something to them in a simulation takes them and their types. */
function beyondWorldTypes({ path: file, text }: SourceFile): string {
  return file.startsWith("packages/simulate/src/world/")
    ? text.replace(/^import (?:type )?\{[^}]*\} from "@hooklet\/plugin-[a-z]+";$/gm, "")
    : text;
}

test("no package names a plugin but the binary, in one list, the plugin itself, and simulations of its world, by its seams", () => {
  const here = readdirSync(path.join(root, "packages")).filter((name) => name.startsWith("plugin-"));
  const names = [...new Set([...DESIGNED, ...here])];
  const wrong = packageSources()
    .filter((file) => file.path !== "packages/hooklet/src/default-plugins.ts")
    .flatMap((file) => {
      const text = beyondWorldTypes(file);
      return names
        .filter((name) => name !== file.package && text.includes(name))
        .map((name) => `${file.path}: ${name}`);
    });
  expect(wrong).toEqual([]);
});

test("core knows no source that a plugin brings, not by its key either", () => {
  const core = packageSources().filter((file) => file.package === "core");
  const keys = Object.keys(sourcePlugins);
  expect(keys).not.toEqual([]);
  const wrong = core.flatMap((file) =>
    keys.filter((key) => file.text.includes(`"${key}"`) || file.text.includes(`sources.${key}`)).map(() => file.path),
  );
  expect(wrong).toEqual([]);
});
