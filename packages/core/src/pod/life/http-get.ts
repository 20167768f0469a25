/** HTTP GET for lifecycle hooks: any certificate, no proxy, no redirects kept open, nothing read but the status. */
import { Agent, request } from "undici";
import type { HttpGet } from "./handlers.js";

/** Certificates of pods are not verified, as in the kubelet. */
export function createHttpGet(): { readonly get: HttpGet; close(): Promise<void> } {
  const agent = new Agent({ connect: { rejectUnauthorized: false }, keepAliveTimeout: 1, pipelining: 0 });
  return {
    async get({ url, headers, signal }) {
      const response = await request(url, {
        dispatcher: agent,
        headers: headers.flat(),
        signal,
      });
      await response.body.dump();
      return { statusCode: response.statusCode };
    },
    close: () => agent.close(),
  };
}
