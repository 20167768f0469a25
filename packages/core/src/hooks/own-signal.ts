/** A signal for one call: aborted when the outer one is, or by its controller. `close` once the call has ended. */
export function ownSignal(outer: AbortSignal | undefined): { readonly controller: AbortController; close(): void } {
  const controller = new AbortController();
  const forward = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) forward();
  else outer?.addEventListener("abort", forward, { once: true });
  return { controller, close: () => outer?.removeEventListener("abort", forward) };
}
