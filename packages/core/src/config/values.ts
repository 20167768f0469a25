/** Values of the rc file that Kubernetes writes as text: durations, quantities, thresholds, names. */

import { parseQuantity } from "@hooklet/manifest";
import { z } from "zod";
import { parseThreshold } from "../node/threshold.js";

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};
const DURATION = /^(\d+(\.\d+)?(h|ms|us|µs|ns|m|s))+$/;
const PART = /(\d+(?:\.\d+)?)(h|ms|us|µs|ns|m|s)/g;

/** Seconds of a duration as Kubernetes writes it (`20s`, `1m0s`, `1h30m`); undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (text.length > 64 || !DURATION.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ""] of text.matchAll(PART)) seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0);
  return seconds;
}

/** Seconds as Go and so Kubernetes write them: `20s`, `1m0s`, `250ms`. */
export function formatDuration(seconds: number): string {
  if (seconds > 0 && seconds < 1) return `${seconds * 1000}ms`;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

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

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A DNS subdomain of RFC 1123, as Kubernetes names nodes. */
export function subdomain(): z.ZodString {
  const message = "a DNS name of lower-case letters, digits, - and ., at most 253 characters";
  return z.string().regex(SUBDOMAIN, { error: message }).max(253, { error: message });
}
