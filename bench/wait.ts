export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Throws when it takes longer than `patience`: milliseconds, as `every`. */
export async function until(holds: () => Promise<boolean>, every = 20, patience = 120_000): Promise<void> {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    if (await holds()) return;
    await pause(every);
  }
  throw new Error(`waited ${patience / 1000} s in vain`);
}
