/** Median and the share that is asked for, of milliseconds. */
export function spread(values: readonly number[], share = 0.99): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
  const shown = (value: number): string =>
    value < 10_000 ? `${value.toFixed(0)} ms` : `${(value / 1_000).toFixed(1)} s`;
  return `${shown(at(0.5))} / ${shown(at(share))}`;
}
