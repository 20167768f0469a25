/** What was found of a node, in the shapes in which a kubelet, kubectl and crictl tell it. Pure. */
import { isRecord } from "@hooklet/manifest";
import type * as v1 from "kubernetes-types/core/v1.js";

/** Everything may be missing. */
export interface Observed {
  readonly pods?: readonly v1.Pod[];
  /** `kubectl get node -o json`. */
  readonly node?: v1.Node;
  /** KubeletConfiguration, of `/configz`. */
  readonly kubeletConfig?: Readonly<Record<string, unknown>>;
  /** hooklet's own settings, of its `/configz`. */
  readonly settings?: readonly SettingSeen[];
  /** `/stats/summary`. */
  readonly summary?: Summary;
  /** `crictl images -o json`, or of hooklet. */
  readonly images?: readonly ImageSeen[];
  /** `kubelet_internal_checkpoint`. */
  readonly devices?: DeviceCheckpoint;
}

export interface SettingSeen {
  readonly path: string;
  readonly value: unknown;
  readonly origin: string;
}

interface FileSystem {
  readonly capacityBytes?: number;
  readonly availableBytes?: number;
  readonly usedBytes?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
}

interface Memory {
  readonly workingSetBytes?: number;
  readonly availableBytes?: number;
}

export interface Summary {
  readonly node?: {
    readonly memory?: Memory;
    readonly fs?: FileSystem;
    readonly runtime?: { readonly imageFs?: FileSystem };
    readonly rlimit?: { readonly maxpid?: number; readonly curproc?: number };
  };
  readonly pods?: readonly {
    readonly podRef?: { readonly name?: string; readonly namespace?: string };
    readonly containers?: readonly {
      readonly name?: string;
      readonly memory?: Memory;
      readonly rootfs?: FileSystem;
      readonly logs?: FileSystem;
    }[];
    readonly volume?: readonly (FileSystem & { readonly name?: string })[];
    readonly process_stats?: { readonly process_count?: number };
  }[];
}

export interface ImageSeen {
  readonly id?: string;
  readonly repoTags?: readonly string[] | null;
  readonly repoDigests?: readonly string[] | null;
  /** crictl writes it as a text. */
  readonly size?: number | string;
  readonly pinned?: boolean;
}

export interface DeviceCheckpoint {
  readonly PodDeviceEntries?: readonly {
    readonly ResourceName?: string;
    /** Ids by NUMA node. */
    readonly DeviceIDs?: Readonly<Record<string, readonly string[]>> | readonly string[];
  }[];
  readonly RegisteredDevices?: Readonly<Record<string, readonly string[]>>;
}

/** What a JSON document is, by its shape; undefined: nothing that is known. */
export function observedIn(value: unknown): Observed | undefined {
  if (!isRecord(value)) return undefined;
  if (value.kind === "Node") return { node: value as unknown as v1.Node };
  if (value.kind === "Pod") return { pods: [value as unknown as v1.Pod] };
  if (Array.isArray(value.items)) return listIn(value.kind, value.items);
  if (isRecord(value.kubeletconfig)) {
    return {
      kubeletConfig: value.kubeletconfig,
      ...(Array.isArray(value.settings) ? { settings: value.settings as SettingSeen[] } : {}),
    };
  }
  if (isRecord(value.node) && Array.isArray(value.pods)) return { summary: value as Summary };
  if (Array.isArray(value.images)) return { images: value.images as ImageSeen[] };
  if (isRecord(value.Data)) return { devices: value.Data as DeviceCheckpoint };
  return undefined;
}

function listIn(kind: unknown, items: readonly unknown[]): Observed | undefined {
  const first = items[0];
  if (kind === "NodeList" || (isRecord(first) && first.kind === "Node")) return { node: first as v1.Node };
  return kind === "PodList" || kind === "List" ? { pods: items as v1.Pod[] } : undefined;
}
