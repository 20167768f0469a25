/** How many pods node pressure may take within a while. Pure. */

export interface Budget {
  readonly pods: number;
  /** Seconds. */
  readonly per: number;
}

/** The times of evictions (milliseconds, oldest first) that still count. */
export function spent(times: readonly number[], { per }: Budget, now: number): readonly number[] {
  return times.filter((at) => now - at < per * 1000);
}

/** May one more pod go? Without a budget always. */
export function withinBudget(times: readonly number[], budget: Budget | undefined, now: number): boolean {
  return budget === undefined || spent(times, budget, now).length < budget.pods;
}
