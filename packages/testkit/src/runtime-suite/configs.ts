import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Labels, type Pod } from "@hooklet/core";
import {
  Annotations,
  type ContainerConfig,
  type ContainerSecurityContext,
  type SandboxConfig,
  type SandboxMetadata,
} from "@hooklet/core/host";
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
  const config = sandboxConfigFor({ name, namespace: "conformance", uid, attempt }, join(directory, "pod-logs", uid));
  return {
    ...config,
    labels: { ...config.labels, tier: "test" },
    annotations: { "example.com/note": 'spaces, "quotes" and ünicode' },
  };
}

/** The first sandbox of a pod, with the labels by which it is found again. */
export function sandboxConfigOf({ metadata: { name, namespace, uid, labels = {} } }: Pod): SandboxConfig {
  const config = sandboxConfigFor({ name, namespace, uid, attempt: 0 }, `/var/log/pods/${namespace}_${name}_${uid}`);
  return { ...config, labels: { ...labels, ...config.labels } };
}

function sandboxConfigFor(metadata: SandboxMetadata, logDirectory: string): SandboxConfig {
  const { name, namespace, uid } = metadata;
  return {
    metadata,
    // On the host network a pod has the node's name, and a real runtime refuses another.
    hostname: "",
    logDirectory,
    labels: { [Labels.podName]: name, [Labels.podNamespace]: namespace, [Labels.podUid]: uid },
    annotations: {},
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
    cdiDevices: [],
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
