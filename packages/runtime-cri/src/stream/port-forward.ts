/** One connection to a port inside a pod: the CRI's PortForward over the runtime's streaming server. */
import type { Duplex } from "node:stream";
import { type Clock, RuntimeError } from "@hooklet/core";
import { connect } from "./connection.js";

export async function forwardedPort(url: string, port: number, clock: Clock): Promise<Duplex> {
  const connection = await connect(url, "portforward.k8s.io", clock);
  const headers = { port: String(port), requestID: "0" };
  const errors = await connection.open({ streamType: "error", ...headers });
  const data = await connection.open({ streamType: "data", ...headers });
  // Nothing is ever written to it, and the server waits for its end.
  errors.end();
  let text = "";
  errors.on("error", (error) => data.destroy(error));
  errors.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  errors.on("end", () => {
    if (text !== "") data.destroy(new RuntimeError("unavailable", `port ${port}: ${text.trim()}`));
  });
  data.on("close", () => connection.close());
  return data;
}
