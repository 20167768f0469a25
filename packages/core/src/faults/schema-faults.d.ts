/** What zod finds, in hooklet's words: one fault per wrong value or unknown key. Pure. */
import type { z } from "zod";
import { type Path, type ValueFault } from "./faults.js";
export type Schema = z.core.$ZodType;
/** The object schema behind optional, default, pipe and the like. */
export declare function objectShape(schema: Schema): Readonly<Record<string, Schema>> | undefined;
export type Parsed<T> =
  | {
      readonly value: T;
      readonly faults?: undefined;
    }
  | {
      readonly faults: readonly ValueFault[];
    };
/**
 * Parses `value`; unknown keys are faults whatever the schema says about them at its top.
 * `path` is put before the path of each fault; `alsoKnown` are keys of the top that are read elsewhere.
 */
export declare function parseWith<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path?: Path,
  alsoKnown?: readonly string[],
): Parsed<T>;
