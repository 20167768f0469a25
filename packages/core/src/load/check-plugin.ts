import type { z } from "zod";
import { errorText } from "../errors.js";
import { type Path, type ValueFault, valueFault, wordFault } from "../faults/faults.js";
import { type NodePlugin, PLUGIN_API } from "../plugin/contract.js";
import { noOptions, notASchema, schemaOf } from "./options.js";

const NAME = /^@?[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/;

export type CheckedPlugin =
  | { readonly plugin: NodePlugin; readonly schema: z.ZodType }
  | { readonly faults: readonly ValueFault[] };

/** Whether what a module exports is a plugin. `path` is the place of its entry. Throws what its getters throw. */
export function checkPlugin(exported: unknown, file: string, path: Path): CheckedPlugin {
  if (typeof exported !== "object" || exported === null) {
    return { faults: [valueFault(path, `a plugin as the default export of ${file}`, exported)] };
  }
  const plugin = exported as Partial<NodePlugin>;
  const { meta } = plugin;
  if (typeof meta !== "object" || meta === null) {
    return { faults: [valueFault(path, `meta {name, api: ${PLUGIN_API}} of the plugin in ${file}`, meta)] };
  }
  const faults: ValueFault[] = [];
  const fault = (what: string, found: unknown): void => {
    faults.push(valueFault(path, `${what} in ${file}`, found));
  };
  if (meta.api !== PLUGIN_API) fault(`meta.api ${PLUGIN_API}, the plugin contract of this hooklet,`, meta.api);
  if (typeof meta.name !== "string" || !NAME.test(meta.name)) {
    fault("meta.name of letters, digits, - _ . / and @, at most 100,", meta.name);
  }
  const { requires } = meta;
  if (requires !== undefined && !(Array.isArray(requires) && requires.every((name) => typeof name === "string"))) {
    fault("meta.requires as a list of names", requires);
  }
  if (typeof plugin.start !== "function") fault("a function start(ctx, options)", plugin.start);
  const schema = readSchema(plugin, file, path);
  if ("fault" in schema) faults.push(schema.fault);
  else if (faults.length === 0) return { plugin: plugin as NodePlugin, schema: schema.schema };
  return { faults };
}

function readSchema(
  plugin: Partial<NodePlugin>,
  file: string,
  path: Path,
): { schema: z.ZodType } | { fault: ValueFault } {
  const expected = `options in ${file} to be a zod 4 schema, or a function (z) => schema`;
  try {
    const schema = schemaOf(plugin.options ?? noOptions);
    const wrong = notASchema(schema);
    return wrong === undefined ? { schema } : { fault: wordFault(path, expected, wrong) };
  } catch (error) {
    return { fault: wordFault(path, expected, `the error: ${errorText(error)}`) };
  }
}
