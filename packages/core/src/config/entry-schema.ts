/** What names a module in the rc file: `runtime`, `plugins` and `extends`. Pure. */
import { z } from "zod";
import { withoutNul } from "./values.js";

const options = z.record(z.string(), z.unknown(), { error: "options as an object" });
const specifier = z
  .string({ error: "the name or path of a module" })
  .min(1)
  .max(4096)
  .refine(withoutNul, { error: "a name or path without NUL" });

export const runtimeSchema = z
  .union([specifier, z.strictObject({ use: specifier, options: options.optional() })], {
    error: "a runtime's name, or {use: NAME, options: {...}}",
  })
  .describe("Runtime: a name (process), a package or a file; or {use, options}.");

export const entrySchema = z.union(
  [specifier, z.tuple([specifier]), z.tuple([specifier, z.union([options, z.literal(false)])])],
  { error: 'a plugin\'s name, or ["name", {options}], or ["name", false]' },
);

export const pluginsSchema = z
  .array(entrySchema, { error: "a list of plugins" })
  .max(100)
  .describe(
    'Plugins beside hooklet\'s own: "name" or ["name", {options}] adds or configures one, ["name", false] takes one away.',
  );

export const extendsSchema = z
  .union([specifier, z.array(specifier).max(20)], { error: "an rc file or package, or a list of them" })
  .optional()
  .describe(
    "The rc files this one is built on: a file relative to this one, or a package; or a list, the last winning.",
  );
