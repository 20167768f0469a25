/** `node` of the rc file. Pure. */
import { z } from "zod";
import { defaultEvictionHard, effectiveEvictionHard, evictionSignals } from "./threshold.js";
import { cpuList, path, quantity, subdomain, threshold, whole } from "./values.js";

const labelValue = z.string().max(63);
const reserved = z.partialRecord(
  z.enum(["cpu", "memory", "ephemeral-storage", "pid"], {
    error: "one of cpu, memory, ephemeral-storage, pid",
  }),
  quantity(),
);

const taint = z
  .strictObject({
    key: z.string().min(1).max(317),
    value: labelValue.optional(),
    effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
  })
  .transform(({ value, ...taint }) => (value === undefined ? taint : { ...taint, value }));

const signal = z.enum(evictionSignals, { error: `one of ${evictionSignals.join(", ")}` });

const nodeOptions = z.strictObject({
  name: subdomain().optional().describe("Name of the node. Default: the machine's host name in lower case."),
  labels: z
    .record(z.string().max(317), labelValue)
    .default({})
    .describe("Labels of the node, for nodeSelector and affinity."),
  taints: z.array(taint).max(100).prefault([]).describe("Taints of the node: {key, value, effect}."),
  maxPods: whole(0, 1_000_000).default(110).describe("Largest number of pods on the node."),
  systemReserved: reserved
    .prefault({})
    .describe("Reserved for the system: subtracted from allocatable. Quantities by resource."),
  kubeReserved: reserved.prefault({}).describe("Reserved for the agent and its runtime: subtracted from allocatable."),
  reservedSystemCPUs: cpuList()
    .default("")
    .describe(
      "CPUs reserved for the system and the agent, for example `0-1`; replaces cpu of systemReserved and kubeReserved.",
    ),
  evictionHard: z
    .partialRecord(signal, threshold())
    .prefault(defaultEvictionHard)
    .describe(
      "Hard eviction thresholds; subtracted from allocatable. They replace all default thresholds, unless mergeDefaultEvictionSettings is true.",
    ),
  mergeDefaultEvictionSettings: z
    .boolean()
    .default(false)
    .describe("true: the default thresholds stay for signals that evictionHard does not set."),
  capacity: z
    .record(z.string().min(1).max(253), quantity())
    .prefault({})
    .describe("Replaces the machine's capacity, to share a machine or for tests. Quantities by resource."),
  ip: z
    .union([z.ipv4(), z.ipv6()], { error: "an IP address" })
    .optional()
    .describe("Address of the node, and of pods on its network. Default: the first address that is not loopback."),
  clusterDNS: z
    .array(z.union([z.ipv4(), z.ipv6()], { error: "an IP address" }))
    .max(3)
    .default([])
    .describe("DNS servers of pods with dnsPolicy ClusterFirst."),
  clusterDomain: z
    .union([subdomain(), z.literal("")])
    .default("")
    .describe("DNS domain of the cluster."),
  resolvConf: z
    .string()
    .max(4096)
    .default("/etc/resolv.conf")
    .describe("Resolver file of pods with dnsPolicy Default."),
  podLogsDir: path()
    .optional()
    .describe(
      "Folder of the container logs, for this agent alone. Default: /var/log/pods for the runtime cri in the default root dir, else logs in rootDir.",
    ),
  containerLogMaxSize: quantity().prefault("10Mi").describe("Size at which a container's log file is rotated."),
  containerLogMaxFiles: whole(2, 1000).default(5).describe("Log files kept per container, the current one included."),
  serializeImagePulls: z.boolean().default(true).describe("true: pull one image at a time."),
  maxParallelImagePulls: whole(1, 1000)
    .optional()
    .describe("Image pulls at a time when serializeImagePulls is false. Default: no limit."),
  allowedUnsafeSysctls: z
    .array(
      z
        .string()
        .regex(/^([a-z0-9_-]+[./])*[a-z0-9_*-]+$/i, { error: "a sysctl, or its beginning and *: kernel.msg*" })
        .max(253),
    )
    .max(100)
    .default([])
    .describe("Sysctls that pods may set besides the safe ones: names, or prefixes that end in `*`."),
});

/** With the kubelet's own rules. */
export const nodeSchema = nodeOptions
  .refine(({ serializeImagePulls, maxParallelImagePulls = 1 }) => !serializeImagePulls || maxParallelImagePulls === 1, {
    error: "1, or serializeImagePulls to be false",
    path: ["maxParallelImagePulls"],
  })
  .transform(({ evictionHard, ...node }) => ({
    ...node,
    evictionHard: effectiveEvictionHard(evictionHard, node.mergeDefaultEvictionSettings),
  }));
