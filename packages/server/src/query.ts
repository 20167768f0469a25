/** Checks what stands behind the `?` of a URL. */

import { NodeAgentError } from "@hooklet/utils";
import { z } from "zod";

/** `?follow`, `?follow=true` and `?follow=1` are true. */
export const flag = z
  .enum(["", "true", "1", "false", "0"])
  .optional()
  .transform((text) => text !== undefined && text !== "false" && text !== "0");

/** A whole number from 0 to `max`. */
export const count = (max: number): z.ZodType<number | undefined, string | undefined> =>
  z
    .string()
    .regex(/^\d{1,16}$/, "expected a whole number")
    .transform(Number)
    .refine((value) => value <= max, `expected at most ${max}`)
    .optional();

export const text = z.string().max(4096);

export const podParams = z.object({ namespace: text, name: text });

/** @throws NodeAgentError INVALID naming each parameter that is wrong */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown, what = "query"): T {
  const result = schema.safeParse(input ?? {});
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${[what, ...path].join(".")}: ${message}`);
  throw new NodeAgentError("INVALID", faults.join("; "));
}
