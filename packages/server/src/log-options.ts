/** Which part of a log is asked for, as every log route of the agent takes it. */
import { z } from "zod";
import { count, flag } from "./query.js";

export const logQuery = {
  previous: flag,
  follow: flag,
  timestamps: flag,
  sinceSeconds: count(2 ** 40),
  sinceTime: z.iso.datetime({ offset: true }).optional(),
};

interface LogPart {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: string | undefined;
}

export interface LogOptions {
  readonly follow: boolean;
  readonly timestamps: boolean;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  /** Lines. */
  readonly tail?: number;
}

/** `now`: milliseconds since the epoch; `tail`: lines. */
export function logOptions(
  { follow, timestamps, ...part }: LogPart,
  tail: number | undefined,
  now: number,
): LogOptions {
  const since = sinceOf(part, now);
  return { follow, timestamps, ...(since !== undefined && { since }), ...(tail !== undefined && { tail }) };
}

function sinceOf(
  { sinceTime, sinceSeconds }: Pick<LogPart, "sinceTime" | "sinceSeconds">,
  now: number,
): number | undefined {
  if (sinceTime !== undefined) return Date.parse(sinceTime);
  return sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000;
}
