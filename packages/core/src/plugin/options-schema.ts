import { z } from "zod";
import type { OptionsSchema } from "./contract.js";

/** What a plugin without options takes. */
export const noOptions = z.strictObject({});

/** The schema itself, also where it was given as a function of zod. */
export function schemaOf<Options>(options: OptionsSchema<Options>): z.ZodType<Options> {
  return typeof options === "function" ? options(z) : options;
}

/** Undefined when it is a zod 4 schema, else what was found instead. */
export function notASchema(schema: unknown): string | undefined {
  if (typeof schema === "object" && schema !== null) {
    if ("_zod" in schema) return undefined;
    if ("safeParse" in schema) return "a schema of zod 3";
  }
  return `a value of type ${schema === null ? "null" : typeof schema}`;
}
