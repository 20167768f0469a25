export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Throws after 2 min. */
export async function until(holds: () => Promise<boolean>, every = 20): Promise<void> {
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    if (await holds()) return;
    await pause(every);
  }
  throw new Error("waited 2 min in vain");
}
