import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  Annotations,
  type ContainerConfig,
  type ContainerSecurityContext,
  Labels,
  type SandboxConfig,
} from "@hooklet/core";
import type { Program } from "./programs.js";

const namespaces = { network: "NODE", pid: "CONTAINER", ipc: "POD" } as const;

/** A plain container's security context. */
export const securityContext: ContainerSecurityContext = {
  capabilities: { add: [], drop: [] },
  privileged: false,
  namespaces,
  supplementalGroups: [],
  readonlyRootfs: false,
  noNewPrivs: false,
  maskedPaths: [],
  readonlyPaths: [],
  seccomp: { profileType: "Unconfined", localhostRef: "" },
};

/** A sandbox of a pod on the host network; a new pod unless `uid` is given. */
export function sandboxConfig(directory: string, attempt: number, uid: string = randomUUID()): SandboxConfig {
  const name = `pod-${uid.slice(0, 8)}`;
  return {
    metadata: { name, namespace: "conformance", uid, attempt },
    hostname: name,
    logDirectory: join(directory, "pod-logs", uid),
    labels: { [Labels.podName]: name, [Labels.podNamespace]: "conformance", [Labels.podUid]: uid, tier: "test" },
    annotations: { "example.com/note": 'spaces, "quotes" and ünicode' },
    portMappings: [],
    linux: {
      cgroupParent: "",
      sysctls: {},
      securityContext: {
        namespaces: { network: "NODE", pid: "CONTAINER", ipc: "POD" },
        supplementalGroups: [],
        readonlyRootfs: false,
        privileged: false,
        seccomp: { profileType: "Unconfined", localhostRef: "" },
      },
    },
    runtimeHandler: "",
  };
}

/** A container that runs `program`: named `main`, attempt 0, unless changed. */
export function containerConfig(
  program: Program,
  imageId: string,
  sandbox: SandboxConfig,
  changes: Partial<ContainerConfig>,
): ContainerConfig {
  const metadata = changes.metadata ?? { name: "main", attempt: 0 };
  return {
    metadata,
    image: { image: imageId, userSpecifiedImage: program.image },
    command: program.command,
    args: [],
    workingDir: "",
    envs: [],
    mounts: [],
    devices: [],
    labels: { ...sandbox.labels, [Labels.containerName]: metadata.name },
    annotations: { [Annotations.restartCount]: String(metadata.attempt), [Annotations.containerHash]: "c0ffee" },
    logPath: `${metadata.name}/${metadata.attempt}.log`,
    stdin: false,
    stdinOnce: false,
    tty: false,
    linux: { resources: {}, securityContext },
    ...changes,
  };
}
