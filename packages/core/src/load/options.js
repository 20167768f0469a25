import { z } from "zod";
/** What a plugin without options takes. */
export const noOptions = z.strictObject({});
/** The schema itself, also where it was given as a function of zod. */
export function schemaOf(options) {
  return typeof options === "function" ? options(z) : options;
}
/** Undefined when it is a zod 4 schema, else what was found instead. */
export function notASchema(schema) {
  if (typeof schema === "object" && schema !== null) {
    if ("_zod" in schema) return undefined;
    if ("safeParse" in schema) return "a schema of zod 3";
  }
  return `a value of type ${schema === null ? "null" : typeof schema}`;
}
