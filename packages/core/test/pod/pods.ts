/** Pods for tests of the pod's life: defaulted as the manifest reader leaves them. */
import type { Container, Pod } from "@hooklet/manifest";

export function aContainer(name: string, more: Partial<Container> = {}): Container {
  return { name, image: "host", command: ["sleep", "1"], imagePullPolicy: "IfNotPresent", ...more };
}

export function aPod(spec: Partial<Pod["spec"]> = {}, metadata: Partial<Pod["metadata"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web-node1", namespace: "default", uid: "0123456789abcdef0123456789abcdef", ...metadata },
    spec: { restartPolicy: "Always", terminationGracePeriodSeconds: 30, containers: [aContainer("main")], ...spec },
  };
}
