/** Times in scenarios: a duration as Kubernetes writes it, days too, or a number of seconds. */
import { z } from "zod";
import { parseSeconds } from "../values/seconds.js";

/** Far longer than a user waits for a simulation. */
export const MAX_SECONDS = 400 * 86_400;

export const time = z.union([z.string().max(64), z.number()]).refine((value) => {
  const seconds = typeof value === "number" ? value : parseSeconds(value);
  return seconds !== undefined && seconds >= 0 && seconds <= MAX_SECONDS;
}, "a time such as 90s, 10m, 1h30m or 7d, or a number of seconds");
