/**
 * The required content of the state files of containers and sandboxes: a checksum proves that a file is as it was written, not who wrote
 * it. Checked are fields that are used without a further check; fields unknown to an older version may be missing. Pure.
 */
import { z } from "zod";

const texts = z.record(z.string(), z.string());
const nanoseconds = z.string().regex(/^\d{1,20}$/);
const path = z.string().startsWith("/");
const number = z.int().min(0);

const container = z.looseObject({
  version: z.literal(1),
  sandboxId: z.string(),
  podUid: z.string(),
  createdAt: nanoseconds,
  config: z.looseObject({
    metadata: z.looseObject({ name: z.string(), attempt: number }),
    image: z.looseObject({ image: z.string() }),
    envs: z.array(z.looseObject({ key: z.string(), value: z.string() })),
    mounts: z.array(z.looseObject({ containerPath: z.string(), hostPath: z.string() })),
    devices: z.array(z.looseObject({ containerPath: z.string(), hostPath: z.string() })),
    labels: texts,
    annotations: texts,
    linux: z.looseObject({
      resources: z.looseObject({}),
      securityContext: z.looseObject({ namespaces: z.looseObject({}), capabilities: z.looseObject({}) }),
    }),
  }),
  imageId: z.string(),
  rootfs: path.optional(),
  mode: z.enum(["root", "user", "none"]),
  launch: z.looseObject({
    argv: z.array(z.string()).min(1),
    env: z.array(z.tuple([z.string(), z.string()])),
    workingDir: path,
    user: z.looseObject({ uid: number, gid: number, groups: z.array(number) }),
    stopSignal: number,
  }),
  logPath: path,
  cgroup: path.optional(),
  startError: z.looseObject({ message: z.string(), at: nanoseconds }).optional(),
});

const sandbox = z.looseObject({
  version: z.literal(1),
  createdAt: nanoseconds,
  bootId: z.string(),
  config: z.looseObject({
    metadata: z.looseObject({ name: z.string(), namespace: z.string(), uid: z.string(), attempt: number }),
    labels: texts,
    annotations: texts,
    linux: z.looseObject({}),
  }),
  stopped: z.boolean(),
  cgroupParent: path,
  cgroupMade: path.optional(),
});

/** @throws Error saying what is wrong with it first @param id of the folder in which it lies */
export function checkShape(kind: "container" | "sandbox", record: unknown, id: string): void {
  const { success, error } = (kind === "container" ? container : sandbox)
    .extend({ id: z.literal(id) })
    .safeParse(record);
  if (success) return;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join(".") || "it"}: ${issue?.message}`);
}
