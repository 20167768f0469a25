/** The pod that a path names: by its whole name, as the API server knows it. */

import type { AgentApi } from "@hooklet/core/host";
import type { Pod } from "@hooklet/manifest";
import { isNodeAgentError } from "@hooklet/utils";

/** Undefined: there is none. */
export function podNamed(
  api: Pick<AgentApi, "pod">,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Pod | undefined {
  try {
    const pod = api.pod({ namespace, name });
    // Names without the node's suffix are for the CLI only.
    return pod.metadata.name === name && pod.metadata.namespace === namespace ? pod : undefined;
  } catch (error) {
    if (isNodeAgentError(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}
