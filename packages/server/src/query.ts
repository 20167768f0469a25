/** Checks what stands behind the `?` of a URL. */

import type { AgentApi } from "@hooklet/core/host";
import type { Pod } from "@hooklet/manifest";
import { isNodeAgentError, NodeAgentError } from "@hooklet/utils";
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

// The pod that a path names: by its whole name, as the API server knows it.

/** Undefined: there is none. */
export function podNamed(
  api: Pick<AgentApi, "pod">,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Pod | undefined {
  try {
    const pod = api.pod({ namespace, name });
    // Names without the node's suffix are for the CLI only.
    return pod.metadata.name === name && pod.metadata.namespace === namespace ? pod : undefined;
  } catch (error) {
    if (isNodeAgentError(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}
