/** TCP probe: a connection that can be made is a success. */
import { connect } from "node:net";
import type { Clock } from "@hooklet/core";
import type { Attempt } from "../types.js";
import { dialError, dialTimeout, invalidPort } from "./go-errors.js";
import { giveUp, whenOver } from "./probe-connection.js";

export interface TcpRequest {
  readonly host: string;
  readonly port: number;
  readonly timeoutMilliseconds: number;
}

/** Never rejects. */
export function tcpProbe(clock: Clock, { host, port, timeoutMilliseconds }: TcpRequest): Promise<Attempt> {
  // Go dials nothing for such a port, and Node throws.
  if (port < 0 || port > 65_535) return Promise.resolve({ result: "failure", output: invalidPort(port) });
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (attempt: Attempt): void => {
      timer.cancel();
      giveUp(socket, clock);
      resolve(attempt);
    };
    const timer = whenOver(clock, timeoutMilliseconds, () =>
      done({ result: "failure", output: dialTimeout(host, port) }),
    );
    socket.once("connect", () => done({ result: "success", output: "" }));
    socket.once("error", (error) => done({ result: "failure", output: dialError(error, host, port) }));
  });
}
