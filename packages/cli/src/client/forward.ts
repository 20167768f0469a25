/** The client's end of a connection to a port inside a pod. */
import { type Duplex, PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Transport } from "./transport.js";

/** Carries one connection over the agent's socket until both sides have ended. Rejects with what broke it. */
export async function carry(transport: Transport, path: string, port: number, local: Duplex): Promise<void> {
  const left = new AbortController();
  const hangUp = (): void => left.abort(new Error("The connection was closed."));
  local.once("close", hangUp);
  // undici destroys a body that has been sent: the other direction of `local` must live on.
  const body = local.pipe(new PassThrough());
  body.on("error", () => undefined);
  try {
    const call = { method: "POST", query: { port }, body, contentType: "application/octet-stream" } as const;
    await pipeline(await transport.bytes(path, { ...call, signal: left.signal }), local);
  } catch (error) {
    // A local program that leaves is no trouble.
    if (!left.signal.aborted) throw error;
  } finally {
    local.off("close", hangUp);
    local.destroy();
  }
}
