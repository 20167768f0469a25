import { NodeAgentError } from "@hooklet/utils";

/** Something of the node that one plugin has: `first`, or hooklet's own configuration. `what`: `condition DiskPressure`. */
export function nodeClaimConflict(what: string, first: string | undefined, second: string): NodeAgentError {
  const owner = first === undefined ? "the node itself" : `plugin "${first}"`;
  return new NodeAgentError(
    "CLAIM_CONFLICT",
    `Two owners claim ${what} of the node: ${owner} has it, plugin "${second}" sets it again. ` +
      "Switch one of them off, or change what it sets.",
    { plugin: second },
  );
}
