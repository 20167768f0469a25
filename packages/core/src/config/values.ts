/** Values of the rc file that Kubernetes writes as text: durations, quantities, thresholds, names, paths. Pure. */

import { isRecord, NamePatterns, parseQuantity } from "@hooklet/manifest";
import { parseCpuList, parseDuration } from "@hooklet/utils";
import { z } from "zod";
import { parseThreshold } from "./threshold.js";

/** `20s`, `1m0s` or plain seconds; gives seconds. */
export function duration(min: string, max: string): z.ZodType<number, string | number> {
  const [least, most] = [parseDuration(min) ?? 0, parseDuration(max) ?? Number.POSITIVE_INFINITY];
  const message = `a duration from ${min} to ${max} (20s, 1m0s, or a number of seconds)`;
  const written = z.union([z.string(), z.number()], { error: message }).meta({ title: "duration" });
  return written.transform((value, context) => {
    const seconds = typeof value === "number" ? value : parseDuration(value);
    if (seconds !== undefined && seconds >= least && seconds <= most) return seconds;
    context.addIssue({ code: "custom", message, input: value });
    return z.NEVER;
  });
}

function isQuantity(text: string): boolean {
  try {
    return parseQuantity(text).nano >= 0n;
  } catch {
    return false;
  }
}

/** A quantity of 0 or more, `100m`, `2Gi` or a number; gives text. */
export function quantity(): z.ZodType<string, string | number> {
  const message = "a quantity of 0 or more (100m, 2Gi, 4)";
  return z
    .union([z.string(), z.number()], { error: message })
    .meta({ title: "quantity" })
    .transform(String)
    .refine(isQuantity, { error: message });
}

/** A set of processors, `0-3,8`, or "" for none; gives text. */
export function cpuList(): z.ZodType<string, string> {
  const message = 'a list of processors (0-3,8), or ""';
  return z.string({ error: message }).meta({ title: "list of CPUs" }).refine(isCpuList, { error: message });
}

function isCpuList(text: string): boolean {
  try {
    parseCpuList(text);
    return true;
  } catch {
    return false;
  }
}

/** An eviction threshold: a quantity above 0, or a percentage from 0% to 100%. */
export function threshold(): z.ZodType<string, string | number> {
  const message = "a quantity above 0 (100Mi) or a percentage (10%)";
  return z
    .union([z.string(), z.number()], { error: message })
    .meta({ title: "quantity or percentage" })
    .transform(String)
    .refine(isThreshold, { error: message });
}

function isThreshold(text: string): boolean {
  try {
    parseThreshold("", text);
    return true;
  } catch {
    return false;
  }
}

/** A whole number within bounds; the bounds are part of what an error expects. */
export function whole(min: number, max: number): z.ZodType<number, number> {
  const message = `a whole number from ${min} to ${max}`;
  return z.int({ error: message }).min(min, { error: message }).max(max, { error: message });
}

/** No system call takes a name with NUL in it. */
export function withoutNul(text: string): boolean {
  return !text.includes("\0");
}

/** A path of the file system. */
export function path(): z.ZodString {
  return z
    .string({ error: "a path" })
    .min(1, { error: "a path" })
    .max(4096)
    .refine(withoutNul, { error: "a path without NUL" })
    .meta({ title: "path" });
}

/** A DNS subdomain of RFC 1123, as Kubernetes names nodes. */
export function subdomain(): z.ZodString {
  const message = "a DNS name of lower-case letters, digits, - and ., at most 253 characters";
  return z.string().regex(NamePatterns.subdomain, { error: message }).max(253, { error: message });
}

/** An object as a literal or JSON makes it, and not an instance of a class. */
export function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
