/** Pods and a node for the tests of admission: small, with nothing that a test does not name. */

import type { Container, Pod } from "@hooklet/manifest";
import type { NodeFacts } from "../../../src/plugin/contract/node.js";

let count = 0;

export function aPod(spec: Partial<Pod["spec"]> = {}, metadata: Partial<Pod["metadata"]> = {}): Pod {
  const name = `p${++count}`;
  return { metadata: { name, namespace: "default", uid: name, ...metadata }, spec: { containers: [], ...spec } } as Pod;
}

export function aContainer(
  requests: Record<string, string>,
  rest: Partial<Container> & { limits?: Record<string, string> } = {},
): Container {
  const { limits, ...others } = rest;
  return { name: "c", image: "host", resources: { requests, ...(limits ? { limits } : {}) }, ...others };
}

/** A pod of one container. */
export function asking(requests: Record<string, string>): Pod {
  return aPod({ containers: [aContainer(requests)] });
}

export function aNode(change: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name: "node1",
    labels: {},
    taints: [],
    allocatable: { cpu: 2000, memory: 4 * 2 ** 30, "ephemeral-storage": 10 * 2 ** 30, pods: 110 },
    os: "linux",
    ...change,
  };
}
