import { duration } from "@hooklet/core";
import { z } from "zod";
import { DEFAULT_BOUNDS } from "./image/bounds.js";

/** `runtime: { use: process, options: ... }` of the rc file. */
export const processRuntimeOptions = z.strictObject({
  /** Make a cgroup for each container where the machine lets us. */
  cgroups: z.boolean().default(true),
  /** Give each container a mount namespace (and an ordinary user a user namespace) where the machine lets us. */
  namespaces: z.boolean().default(true),
  /** How many containers are set up at the same time; default: four per processor. */
  parallelStarts: z.int().min(1).max(256).optional(),
  /** Unpacked bytes that an image may have. */
  maxImageBytes: z.int().min(1).default(DEFAULT_BOUNDS.maxBytes),
  /** Files, folders and links that an image may have. */
  maxImageEntries: z.int().min(1).default(DEFAULT_BOUNDS.maxEntries),
  /** Where containerd's hosts.toml files are, folders with colons between: its `config_path`. */
  registryConfigPath: z.string().max(4096).default("/etc/containerd/certs.d:/etc/docker/certs.d"),
  /** How long a pull may go on without a byte more; containerd's `image_pull_progress_timeout`. Gives seconds. */
  imagePullProgressTimeout: duration("1s", "24h").prefault("5m"),
  /** A docker config file with registry credentials; default: the places where the kubelet looks. */
  dockerConfig: z.string().min(1).max(4096).optional(),
});

export type ProcessRuntimeOptions = z.infer<typeof processRuntimeOptions>;
