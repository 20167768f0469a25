/** The connection of one probe: its time, TLS, and how it is given up. */
import { isIP, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import type { Clock, Timer } from "@hooklet/core";

/**
 * Calls `run` after `milliseconds`, once what has come by then is read: an agent that had no processor for a while must not take an
 * answer that lies ready for one that never came. (In a turn of Node's loop timers come before sockets, immediates after them.)
 */
export function whenOver(clock: Clock, milliseconds: number, run: () => void): Timer {
  let isCancelled = false;
  const timer = clock.schedule(milliseconds, () => {
    setImmediate(() => {
      if (!isCancelled) run();
    });
  });
  return {
    cancel: () => {
      isCancelled = true;
      timer.cancel();
    },
  };
}

/** `protocols`: offered by ALPN; none when it is left out. */
export function secured(raw: Socket, host: string, protocols?: readonly string[]): TLSSocket {
  const servername = isIP(host) === 0 && host !== "" ? { servername: host } : {};
  const offered = protocols === undefined ? {} : { ALPNProtocols: [...protocols] };
  return connect({ socket: raw, rejectUnauthorized: false, ...servername, ...offered });
}

/** How long the system keeps the port of a connection that we closed first (TIME_WAIT), with a margin. */
const HELD = 64_000;
/** Far below the 28 232 ports that Linux has for connections to one address. */
const MOST_HELD = 12_000;
const SLICES = 16;

/** Counts, in slices of `HELD`, the connections that were closed cleanly and may still hold a port. */
export class HeldPorts {
  readonly #slices = new Uint16Array(SLICES);
  #held = 0;
  #slice = 0;

  /** Whether one more may be closed so that it holds its port; it is counted then. `now`: monotonic milliseconds. */
  take(now: number): boolean {
    const slice = Math.floor((now / HELD) * SLICES);
    for (let passed = Math.max(this.#slice + 1, slice - SLICES + 1); passed <= slice; passed++) {
      this.#held -= this.#slices[passed % SLICES] ?? 0;
      this.#slices[passed % SLICES] = 0;
    }
    this.#slice = Math.max(this.#slice, slice);
    if (this.#held >= MOST_HELD) return false;
    this.#held++;
    const place = this.#slice % SLICES;
    this.#slices[place] = (this.#slices[place] ?? 0) + 1;
    return true;
  }
}

const held = new HeldPorts();

/** Milliseconds in which a TLS connection must have taken our goodbye: the kubelet's linger. */
const LINGER = 1_000;

/**
 * The server reads a clean end of file, as from a kubelet. Where so many connections were closed in the last minute that
 * ports could run out, it gets a reset instead, which frees the port at once. (The kubelet lingers for a second to the same
 * end; Node has no SO_LINGER, and no reset after a half-close: it would leave the connection open forever.)
 */
export function giveUp(socket: Socket, clock: Clock, tls?: TLSSocket): void {
  // What comes now comes too late: the verdict is known.
  for (const one of [socket, tls]) one?.on("error", ignore);
  // Who closed first holds the port: nothing of ours does when the server did.
  const holdsPort = !socket.connecting && !socket.readableEnded && !socket.writableEnded && !socket.destroyed;
  const mustReset = holdsPort && !held.take(clock.monotonic());
  if (mustReset) socket.resetAndDestroy();
  if (tls === undefined || !holdsPort || mustReset || !tls.writable) {
    drop(socket, tls);
    return;
  }
  const linger = clock.schedule(LINGER, () => drop(socket, tls));
  tls.end(() => {
    linger.cancel();
    drop(socket, tls);
  });
}

function drop(...sockets: readonly (Socket | undefined)[]): void {
  for (const one of sockets) one?.destroy();
}

function ignore(): void {}
