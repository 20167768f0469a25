import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { sourcePlugins } from "../../packages/hooklet/src/default-plugins.js";
import { packageSources, root } from "../sources.js";

/** The plugins of the design, those that are here already and those to come. */
const DESIGNED = [
  "plugin-probe",
  "plugin-imagegc",
  "plugin-devices",
  "plugin-preemption",
  "plugin-shutdown",
  "plugin-cgroups",
  "plugin-eviction",
];

test("no package names a plugin but the binary, in one list, and the plugin itself", () => {
  const here = readdirSync(path.join(root, "packages")).filter((name) => name.startsWith("plugin-"));
  const names = [...new Set([...DESIGNED, ...here])];
  const wrong = packageSources()
    .filter((file) => file.path !== "packages/hooklet/src/default-plugins.ts")
    .flatMap((file) =>
      names.filter((name) => name !== file.package && file.text.includes(name)).map((name) => `${file.path}: ${name}`),
    );
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
