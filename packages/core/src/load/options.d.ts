import { z } from "zod";
import type { OptionsSchema } from "../plugin/contract.js";
/** What a plugin without options takes. */
export declare const noOptions: z.ZodObject<{}, z.core.$strict>;
/** The schema itself, also where it was given as a function of zod. */
export declare function schemaOf<Options>(options: OptionsSchema<Options>): z.ZodType<Options>;
/** Undefined when it is a zod 4 schema, else what was found instead. */
export declare function notASchema(schema: unknown): string | undefined;
