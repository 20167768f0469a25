import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { packageSources, root } from "../sources.js";

/** The five plugins of the design, those that are here already and those to come. */
const DESIGNED = ["plugin-probe", "plugin-imagegc", "plugin-devices", "plugin-preemption", "plugin-cgroups"];

test("core names no plugin outside the one default list", () => {
  const here = readdirSync(path.join(root, "packages")).filter((name) => name.startsWith("plugin-"));
  const names = [...new Set([...DESIGNED, ...here])];
  const wrong = packageSources()
    .filter((file) => file.package === "core" && file.path !== "packages/core/src/config/default-plugins.ts")
    .flatMap((file) => names.filter((name) => file.text.includes(name)).map((name) => `${file.path}: ${name}`));
  expect(wrong).toEqual([]);
});
