/** Sandboxes and containers as CRI v1 describes them: configuration and status. Pure. */

/** CRI labels and annotations by which pods and containers are found again after a crash of the agent. */
export const Labels = {
  podName: "io.kubernetes.pod.name",
  podNamespace: "io.kubernetes.pod.namespace",
  podUid: "io.kubernetes.pod.uid",
  containerName: "io.kubernetes.container.name",
} as const;

export const Annotations = {
  containerHash: "io.kubernetes.container.hash",
  restartCount: "io.kubernetes.container.restartCount",
  terminationMessagePath: "io.kubernetes.container.terminationMessagePath",
  terminationMessagePolicy: "io.kubernetes.container.terminationMessagePolicy",
  preStopHandler: "io.kubernetes.container.preStopHandler",
  ports: "io.kubernetes.container.ports",
  podTerminationGracePeriod: "io.kubernetes.pod.terminationGracePeriod",
} as const;

export type StringMap = Readonly<Record<string, string>>;

/** What a registry is shown before it gives an image. */
export interface PullCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}

export interface SandboxMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** 0 for the first sandbox of a pod, +1 for each one that replaces it. */
  readonly attempt: number;
}

export type NamespaceMode = "POD" | "CONTAINER" | "NODE" | "TARGET";

export interface PortMapping {
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

export interface SandboxConfig {
  readonly metadata: SandboxMetadata;
  readonly hostname: string;
  /** Directory of the pod's logs; container log paths are relative to it. */
  readonly logDirectory: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly portMappings: readonly PortMapping[];
  readonly dns?: {
    readonly servers: readonly string[];
    readonly searches: readonly string[];
    readonly options: readonly string[];
  };
  readonly linux: {
    /** cgroupfs path of the pod's cgroup, "" when no plugin made one. */
    readonly cgroupParent: string;
    /** What the pod's containers take in all; the runtime may size a virtual machine by it. */
    readonly resources?: LinuxContainerResources;
    /** What the sandbox itself takes (RuntimeClass overhead). */
    readonly overhead?: LinuxContainerResources;
    readonly sysctls: StringMap;
    readonly securityContext: {
      readonly namespaces: {
        readonly network: NamespaceMode;
        readonly pid: NamespaceMode;
        readonly ipc: NamespaceMode;
      };
      readonly runAsUser?: number;
      readonly runAsGroup?: number;
      readonly supplementalGroups: readonly number[];
      readonly readonlyRootfs: boolean;
      readonly privileged: boolean;
      readonly seccomp: SecurityProfile;
    };
  };
  /** RuntimeClass handler; "" is the runtime's default. */
  readonly runtimeHandler: string;
}

export interface SecurityProfile {
  readonly profileType: "RuntimeDefault" | "Unconfined" | "Localhost";
  readonly localhostRef: string;
}

export interface Sandbox {
  readonly id: string;
  readonly metadata: SandboxMetadata;
  readonly state: "SANDBOX_READY" | "SANDBOX_NOTREADY";
  /** Nanoseconds since the epoch. */
  readonly createdAt: bigint;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface SandboxStatus extends Sandbox {
  /** Pod IP addresses, the primary one first; empty on the host network. */
  readonly ips: readonly string[];
}

export interface Mount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readonly: boolean;
  /** Read-only with all that is mounted below. Asked of runtimes that say `recursiveReadOnlyHandlers` alone. */
  readonly recursiveReadOnly?: boolean;
  readonly selinuxRelabel: boolean;
  readonly propagation: "PRIVATE" | "HOST_TO_CONTAINER" | "BIDIRECTIONAL";
}

export interface Device {
  readonly containerPath: string;
  readonly hostPath: string;
  /** cgroup permissions: any of r, w, m. */
  readonly permissions: string;
}

/** Linux resources of a container as CRI has them. Absent or 0 = leave the runtime's default. */
export interface LinuxContainerResources {
  readonly cpuPeriod?: number;
  readonly cpuQuota?: number;
  readonly cpuShares?: number;
  readonly memoryLimitInBytes?: number;
  readonly oomScoreAdj?: number;
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
  readonly hugepageLimits?: readonly { readonly pageSize: string; readonly limit: number }[];
  /** cgroup v2 files and values, for example `memory.high`. */
  readonly unified?: StringMap;
  readonly memorySwapLimitInBytes?: number;
}

export interface ContainerSecurityContext {
  readonly capabilities: { readonly add: readonly string[]; readonly drop: readonly string[] };
  readonly privileged: boolean;
  readonly namespaces: {
    readonly network: NamespaceMode;
    readonly pid: NamespaceMode;
    readonly ipc: NamespaceMode;
    /** With pid TARGET: id of the container whose processes this one sees. */
    readonly targetId?: string;
  };
  readonly runAsUser?: number;
  readonly runAsUsername?: string;
  /** The pod asks for a user that is not root: a runtime that resolves users in the image rejects uid 0. Not part of CRI. */
  readonly runAsNonRoot?: boolean;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  readonly readonlyRootfs: boolean;
  readonly noNewPrivs: boolean;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly seccomp: SecurityProfile;
  readonly apparmor?: SecurityProfile;
}

export interface ContainerConfig {
  readonly metadata: { readonly name: string; readonly attempt: number };
  /** The resolved image (imageStatus().id), and the user it sets. */
  readonly image: {
    readonly image: string;
    readonly userSpecifiedImage: string;
    readonly uid?: number;
    readonly username?: string;
  };
  /** Entrypoint; empty = the image's. */
  readonly command: readonly string[];
  /** Arguments; with a command they replace the image's cmd. */
  readonly args: readonly string[];
  /** "" = the image's. */
  readonly workingDir: string;
  readonly envs: readonly { readonly key: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  /** CDI devices by their qualified names, `vendor.example/class=name`. */
  readonly cdiDevices: readonly string[];
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** Relative to the sandbox's logDirectory. */
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly linux: { readonly resources: LinuxContainerResources; readonly securityContext: ContainerSecurityContext };
}

export type ContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED" | "CONTAINER_UNKNOWN";

export interface Container {
  readonly id: string;
  readonly sandboxId: string;
  readonly metadata: { readonly name: string; readonly attempt: number };
  readonly state: ContainerState;
  readonly createdAt: bigint;
  readonly image: string;
  /** What the runtime calls its image in a status: the id or a digest. */
  readonly imageRef: string;
  /** Id of its image, where the runtime reports it in addition to `imageRef`. */
  readonly imageId?: string;
  /** The handler for which its image was pulled; see `Image`. */
  readonly imageRuntimeHandler?: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface ContainerStatus extends Container {
  /** 0n until started. */
  readonly startedAt: bigint;
  /** 0n until exited. */
  readonly finishedAt: bigint;
  readonly exitCode: number;
  /** "", or the runtime's word: Completed, Error, OOMKilled, StartError, ContainerCannotRun ... */
  readonly reason: string;
  readonly message: string;
  readonly mounts: readonly Mount[];
  /** Ids of the images that it mounts as volumes; absent: none. */
  readonly imageVolumes?: readonly string[];
  /** Absolute path on the node. */
  readonly logPath: string;
  /** Uid of the first process, when the runtime tells. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
}
