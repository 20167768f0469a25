/** A stream that is opened again whenever it ends; after each time something may have been missed. */
import type { Timer } from "@hooklet/core";
import type { Streams } from "../wire.js";
import type { EventListener, EventPorts } from "./source.js";

const REOPEN = 200;
const REOPEN_MAX = 2_000;

export function lastingStream<S extends keyof Streams>(
  { client, calls, clock }: EventPorts,
  rpc: S,
  request: object,
  listener: Pick<EventListener, "gap" | "away" | "back">,
  take: (message: Streams[S]) => void,
): () => void {
  let closed = false;
  let timer: Timer | undefined;
  let cancel: (() => void) | undefined;
  let pause = REOPEN;
  let isAway = false;
  const open = (): void => {
    cancel = client.stream(rpc, request, { data: take, ended: again });
  };
  const again = (): void => {
    if (closed) return;
    timer = clock.schedule(pause, () => {
      pause = Math.min(pause * 2, REOPEN_MAX);
      reopen().catch((error: unknown) => {
        if (!closed && !isAway) listener.away(error);
        isAway = true;
        again();
      });
    });
  };
  /** The CRI answers once the runtime knows its containers again. */
  const reopen = async (): Promise<void> => {
    await calls.call("Status", {});
    if (closed) return;
    open();
    pause = REOPEN;
    if (isAway) listener.back();
    isAway = false;
    listener.gap();
  };
  open();
  return () => {
    closed = true;
    timer?.cancel();
    cancel?.();
  };
}
