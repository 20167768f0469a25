/** The runtime handler of a RuntimeClass: fetched when a sandbox is made, since few pods name one. */
import type { RuntimeClass } from "kubernetes-types/node/v1.js";
import { isApiError } from "../client/api-error.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";

/** Rejects where there is no such class, and where no answer comes: the sandbox is retried. */
export async function runtimeHandler(
  client: Pick<KubeClient, "get">,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { handler } = await client.get<RuntimeClass>(`${paths.runtimeClasses}/${encodeURIComponent(name)}`, {
      signal,
    });
    return handler;
  } catch (error) {
    if (isApiError(error, 404)) throw new Error(`RuntimeClass "${name}" not found`);
    throw error;
  }
}
