/** Durations as Go and so Kubernetes read and write them. Pure. */

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

/** Seconds as Go and so Kubernetes write them: `20s`, `1m0s`, `250ms`, `0s`. */
export function formatDuration(seconds: number): string {
  if (seconds > 0 && seconds < 1) return belowSecond(seconds);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

function belowSecond(seconds: number): string {
  const unit = seconds >= 1e-3 ? "ms" : seconds >= 1e-6 ? "µs" : "ns";
  return `${Number((seconds / (UNIT_SECONDS[unit] ?? 1)).toFixed(6))}${unit}`;
}
