import { RuntimeError } from "@hooklet/core/host";

/** Settles as `work` does, or rejects with `unavailable` once `closed` aborts. The work is let go of, not stopped. */
export function untilClosed<T>(closed: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onClose = (): void => reject(new RuntimeError("unavailable", "the process runtime was closed meanwhile"));
    if (closed.aborted) onClose();
    closed.addEventListener("abort", onClose, { once: true });
    work.then(resolve, reject).finally(() => closed.removeEventListener("abort", onClose));
  });
}
