/** Gives a connection up so that its local port is free at once. */
import type { Socket } from "node:net";

/**
 * End first, then reset: the server reads a clean end of file, and nothing of ours stays in TIME_WAIT, where it would hold
 * a local port for a minute. (The kubelet lingers for a second for the same reason; Node has no SO_LINGER.)
 */
export function endAndReset(socket: Socket): void {
  socket.removeAllListeners();
  socket.on("error", ignore);
  if (socket.destroyed) return;
  if (socket.connecting || socket.writableEnded) socket.resetAndDestroy();
  else socket.end(() => socket.resetAndDestroy());
}

/** The verdict is known by now. */
function ignore(): void {}
