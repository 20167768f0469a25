/** The upper one of two in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** By which power of the pods a figure grows from one row to the next: 1 is linear. Empty in the first row. */
export function growth(
  pods: number,
  figure: number,
  before: { readonly pods: number; readonly figure: number } | undefined,
): string {
  if (before === undefined) return "";
  return (Math.log(figure / before.figure) / Math.log(pods / before.pods)).toFixed(2);
}
