/** The CRI's messages as proto-loader gives them: camelCase, 64-bit integers as decimal strings, enums by name. */
import type { RuntimeContainer as PortContainer } from "@hooklet/core";
import type { StringMap } from "@hooklet/core/host";

export interface WireMetadata {
  readonly name: string;
  readonly attempt: number;
}

export interface WireSandbox {
  readonly id: string;
  readonly metadata: (WireMetadata & { readonly uid: string; readonly namespace: string }) | null;
  readonly state: "SANDBOX_READY" | "SANDBOX_NOTREADY";
  readonly createdAt: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface WireSandboxStatus extends WireSandbox {
  readonly network: { readonly ip: string; readonly additionalIps: readonly { readonly ip: string }[] } | null;
}

export interface WireImageSpec {
  readonly image: string;
  readonly runtimeHandler: string;
}

export interface WireContainer {
  readonly id: string;
  readonly podSandboxId: string;
  readonly metadata: WireMetadata | null;
  readonly image: WireImageSpec | null;
  readonly imageRef: string;
  /** Empty before CRI 1.30. */
  readonly imageId: string;
  readonly state: PortContainer["state"];
  readonly createdAt: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface WireMount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readonly: boolean;
  readonly recursiveReadOnly: boolean;
  readonly selinuxRelabel: boolean;
  readonly propagation: string;
  /** Of an image volume. */
  readonly image: WireImageSpec | null;
}

export interface WireContainerStatus extends Omit<WireContainer, "podSandboxId"> {
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly mounts: readonly WireMount[];
  readonly logPath: string;
  readonly user: {
    readonly linux: {
      readonly uid: string;
      readonly gid: string;
      readonly supplementalGroups: readonly string[];
    } | null;
  } | null;
}

export interface WireImage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: string;
  readonly uid: { readonly value: string } | null;
  readonly username: string;
  readonly spec: WireImageSpec | null;
  readonly pinned: boolean;
}

type Amount = { readonly value: string } | null;

export interface WireFilesystem {
  readonly fsId: { readonly mountpoint: string } | null;
  readonly usedBytes: Amount;
  readonly inodesUsed: Amount;
}

export interface WireStats {
  readonly attributes: { readonly id: string; readonly labels: StringMap } | null;
  readonly cpu: { readonly usageCoreNanoSeconds: Amount } | null;
  readonly memory: { readonly workingSetBytes: Amount } | null;
  readonly writableLayer: WireFilesystem | null;
}

export interface WireCondition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** What each call answers. */
export interface Answers {
  Version: { readonly runtimeName: string; readonly runtimeVersion: string; readonly runtimeApiVersion: string };
  Status: {
    readonly status: { readonly conditions: readonly WireCondition[] } | null;
    /** Of a verbose call: JSON texts by name, the runtime's own. */
    readonly info: StringMap;
    readonly runtimeHandlers: readonly {
      readonly name: string;
      readonly features: { readonly recursiveReadOnlyMounts: boolean } | null;
    }[];
  };
  RuntimeConfig: { readonly linux: { readonly cgroupDriver: "SYSTEMD" | "CGROUPFS" } | null };
  RunPodSandbox: { readonly podSandboxId: string };
  StopPodSandbox: object;
  RemovePodSandbox: object;
  PodSandboxStatus: { readonly status: WireSandboxStatus | null };
  ListPodSandbox: { readonly items: readonly WireSandbox[] };
  CreateContainer: { readonly containerId: string };
  StartContainer: object;
  StopContainer: object;
  RemoveContainer: object;
  ListContainers: { readonly containers: readonly WireContainer[] };
  ContainerStatus: { readonly status: WireContainerStatus | null; readonly info: StringMap };
  UpdateContainerResources: object;
  ReopenContainerLog: object;
  ExecSync: { readonly stdout: Buffer; readonly stderr: Buffer; readonly exitCode: number };
  Exec: { readonly url: string };
  Attach: { readonly url: string };
  PortForward: { readonly url: string };
  ListContainerStats: { readonly stats: readonly WireStats[] };
  ListImages: { readonly images: readonly WireImage[] };
  ImageStatus: { readonly image: WireImage | null };
  PullImage: { readonly imageRef: string };
  RemoveImage: object;
  ImageFsInfo: {
    readonly imageFilesystems: readonly WireFilesystem[];
    readonly containerFilesystems: readonly WireFilesystem[];
  };
}

export type Rpc = keyof Answers;

/** What the event streams bring. */
export interface Streams {
  GetContainerEvents: {
    readonly containerId: string;
    readonly containerEventType: string;
    readonly podSandboxStatus: WireSandboxStatus | null;
  };
  Subscribe: {
    readonly namespace: string;
    readonly topic: string;
    readonly event: { readonly typeUrl: string; readonly value: Buffer } | null;
  };
}
