/** Ports of a pod are ports of the machine. */
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";

/** Resolves once the port answers. Rejects with `unavailable` when nothing listens on the loopback. */
export function connectToPort(port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "localhost", port, allowHalfOpen: true, autoSelectFamily: true });
    const refused = (cause: Error): void => {
      const why = errorText(cause) || "no process listens on it";
      reject(new RuntimeError("unavailable", `port ${port} of the pod: ${why}`, { cause }));
    };
    socket.once("error", refused);
    socket.once("connect", () => {
      socket.off("error", refused);
      resolve(socket);
    });
  });
}
