/** `runtime: { use: cri, options: ... }` of the rc file. */
import { duration } from "@hooklet/core";
import { z } from "zod";

const message = "a unix socket as unix:///PATH";
const socket = z
  .string({ error: message })
  .regex(/^unix:\/\/\/[^\0]+$/, { error: message })
  .max(200, { error: message });

export const criRuntimeOptions = z.strictObject({
  /** KubeletConfiguration's containerRuntimeEndpoint. */
  endpoint: socket.default("unix:///run/containerd/containerd.sock"),
  /** KubeletConfiguration's imageServiceEndpoint; default: `endpoint`. */
  imageEndpoint: socket.optional(),
  /** Deadline of every call but long running ones (pull, exec); sandboxes get twice as long, as in the kubelet. Gives seconds. */
  runtimeRequestTimeout: duration("1s", "1h").prefault("2m"),
  /** A docker config file with registry credentials; default: the kubelet's locations. */
  dockerConfig: z.string().min(1).max(4096).optional(),
  /** KubeletConfiguration's featureGates, those that change what the runtime gets. */
  featureGates: z
    .strictObject({
      /** Images are pulled, resolved and removed for the pod's RuntimeClass handler. */
      RuntimeClassInImageCriApi: z.boolean().default(false),
    })
    .prefault({}),
});

export type CriRuntimeOptions = z.infer<typeof criRuntimeOptions>;
