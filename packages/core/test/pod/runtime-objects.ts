/** What a runtime has of the pod of `aPod`: a sandbox that is ready, a container that ran from second 10 to second 20. */
import { type Container, type ContainerStatus, Labels, type Sandbox, type SandboxStatus } from "@hooklet/cri-api";
import { aPod } from "./pods.js";

const { uid, name, namespace } = aPod().metadata;
export const podLabels = { [Labels.podUid]: uid, [Labels.podName]: name, [Labels.podNamespace]: namespace };

export function aSandbox(more: Partial<SandboxStatus> = {}, attempt = 0): SandboxStatus {
  return {
    id: `s${attempt}`,
    metadata: { name, namespace, uid, attempt },
    state: "SANDBOX_READY",
    createdAt: 9_000_000_000n,
    labels: podLabels,
    annotations: {},
    ips: ["10.0.0.1"],
    ...more,
  } satisfies Sandbox;
}

export function anExit(more: Partial<ContainerStatus> = {}, container = "main", attempt = 0): ContainerStatus {
  return {
    id: `${container}-${attempt}`,
    sandboxId: "s0",
    metadata: { name: container, attempt },
    state: "CONTAINER_EXITED",
    createdAt: 9_500_000_000n,
    startedAt: 10_000_000_000n,
    finishedAt: 20_000_000_000n,
    image: "app:1",
    imageRef: "sha256:app",
    exitCode: 7,
    reason: "",
    message: "",
    logPath: "",
    labels: podLabels,
    annotations: {},
    mounts: [],
    ...more,
  } satisfies Container;
}
