/** HTTP GET for lifecycle hooks: any certificate, no proxy, no redirects kept open, nothing read but the status. */
import type { Agent } from "undici";
import type { HttpGet } from "./handlers.js";

/** Certificates of pods are not verified, as in the kubelet. */
export function createHttpGet(): { readonly get: HttpGet; close(): Promise<void> } {
  let agent: Agent | undefined;
  return {
    async get({ url, headers, signal }) {
      // Few agents ever need the library's few MiB.
      const { Agent, request } = await import("undici");
      agent ??= new Agent({ connect: { rejectUnauthorized: false }, keepAliveTimeout: 1, pipelining: 0 });
      const response = await request(url, {
        dispatcher: agent,
        headers: headers.flat(),
        signal,
      });
      await response.body.dump();
      return { statusCode: response.statusCode };
    },
    close: async () => agent?.close(),
  };
}
