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
  /** Unpacked bytes that an imported image may have. */
  maxImageBytes: z.int().min(1).default(DEFAULT_BOUNDS.maxBytes),
  /** Files, folders and links that an imported image may have. */
  maxImageEntries: z.int().min(1).default(DEFAULT_BOUNDS.maxEntries),
});

export type ProcessRuntimeOptions = z.infer<typeof processRuntimeOptions>;
