/**
 * The rc file: every option with its default and its description. The option table of docs/rc-file.md and the JSON
 * schema are made of it. Names, units and defaults are KubeletConfiguration's where it has them. Pure.
 */
import { z } from "zod";
/** With the kubelet's own rules. */
export declare const nodeSchema: z.ZodPipe<
  z.ZodObject<
    {
      name: z.ZodOptional<z.ZodString>;
      labels: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
      taints: z.ZodDefault<
        z.ZodArray<
          z.ZodObject<
            {
              key: z.ZodString;
              value: z.ZodOptional<z.ZodString>;
              effect: z.ZodEnum<{
                NoExecute: "NoExecute";
                NoSchedule: "NoSchedule";
                PreferNoSchedule: "PreferNoSchedule";
              }>;
            },
            z.core.$strict
          >
        >
      >;
      maxPods: z.ZodDefault<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
      systemReserved: z.ZodPrefault<
        z.ZodRecord<
          z.ZodEnum<{
            cpu: "cpu";
            "ephemeral-storage": "ephemeral-storage";
            memory: "memory";
            pid: "pid";
          }> &
            z.core.$partial,
          z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
        >
      >;
      kubeReserved: z.ZodPrefault<
        z.ZodRecord<
          z.ZodEnum<{
            cpu: "cpu";
            "ephemeral-storage": "ephemeral-storage";
            memory: "memory";
            pid: "pid";
          }> &
            z.core.$partial,
          z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
        >
      >;
      reservedSystemCPUs: z.ZodDefault<z.ZodType<string, string, z.core.$ZodTypeInternals<string, string>>>;
      evictionHard: z.ZodPrefault<
        z.ZodRecord<
          z.ZodEnum<{
            "allocatableMemory.available": "allocatableMemory.available";
            "containerfs.available": "containerfs.available";
            "containerfs.inodesFree": "containerfs.inodesFree";
            "imagefs.available": "imagefs.available";
            "imagefs.inodesFree": "imagefs.inodesFree";
            "memory.available": "memory.available";
            "nodefs.available": "nodefs.available";
            "nodefs.inodesFree": "nodefs.inodesFree";
            "pid.available": "pid.available";
          }> &
            z.core.$partial,
          z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
        >
      >;
      mergeDefaultEvictionSettings: z.ZodDefault<z.ZodBoolean>;
      capacity: z.ZodPrefault<
        z.ZodRecord<z.ZodString, z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>>
      >;
      ip: z.ZodOptional<z.ZodUnion<readonly [z.ZodIPv4, z.ZodIPv6]>>;
      clusterDNS: z.ZodDefault<z.ZodArray<z.ZodUnion<readonly [z.ZodIPv4, z.ZodIPv6]>>>;
      clusterDomain: z.ZodDefault<z.ZodUnion<readonly [z.ZodString, z.ZodLiteral<"">]>>;
      resolvConf: z.ZodDefault<z.ZodString>;
      podLogsDir: z.ZodOptional<z.ZodString>;
      containerLogMaxSize: z.ZodPrefault<
        z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
      >;
      containerLogMaxFiles: z.ZodDefault<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
      serializeImagePulls: z.ZodDefault<z.ZodBoolean>;
      maxParallelImagePulls: z.ZodOptional<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
      evictionsPerMinute: z.ZodDefault<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
    },
    z.core.$strict
  >,
  z.ZodTransform<
    {
      name?: string | undefined;
      labels: Record<string, string>;
      taints: {
        key: string;
        value?: string | undefined;
        effect: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
      }[];
      maxPods: number;
      systemReserved: Partial<Record<"cpu" | "ephemeral-storage" | "memory" | "pid", string>>;
      kubeReserved: Partial<Record<"cpu" | "ephemeral-storage" | "memory" | "pid", string>>;
      reservedSystemCPUs: string;
      mergeDefaultEvictionSettings: boolean;
      capacity: Record<string, string>;
      ip?: string | undefined;
      clusterDNS: string[];
      clusterDomain: string;
      resolvConf: string;
      podLogsDir?: string | undefined;
      containerLogMaxSize: string;
      containerLogMaxFiles: number;
      serializeImagePulls: boolean;
      maxParallelImagePulls?: number | undefined;
      evictionsPerMinute: number;
      evictionHard: Readonly<Record<string, string>>;
    },
    {
      name?: string | undefined;
      labels: Record<string, string>;
      taints: {
        key: string;
        value?: string | undefined;
        effect: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
      }[];
      maxPods: number;
      systemReserved: Partial<Record<"cpu" | "ephemeral-storage" | "memory" | "pid", string>>;
      kubeReserved: Partial<Record<"cpu" | "ephemeral-storage" | "memory" | "pid", string>>;
      reservedSystemCPUs: string;
      evictionHard: Partial<
        Record<
          | "allocatableMemory.available"
          | "containerfs.available"
          | "containerfs.inodesFree"
          | "imagefs.available"
          | "imagefs.inodesFree"
          | "memory.available"
          | "nodefs.available"
          | "nodefs.inodesFree"
          | "pid.available",
          string
        >
      >;
      mergeDefaultEvictionSettings: boolean;
      capacity: Record<string, string>;
      ip?: string | undefined;
      clusterDNS: string[];
      clusterDomain: string;
      resolvConf: string;
      podLogsDir?: string | undefined;
      containerLogMaxSize: string;
      containerLogMaxFiles: number;
      serializeImagePulls: boolean;
      maxParallelImagePulls?: number | undefined;
      evictionsPerMinute: number;
    }
  >
>;
export declare const runtimeSchema: z.ZodUnion<
  readonly [
    z.ZodString,
    z.ZodObject<
      {
        use: z.ZodString;
        options: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
      },
      z.core.$strict
    >,
  ]
>;
export declare const entrySchema: z.ZodUnion<
  readonly [
    z.ZodString,
    z.ZodTuple<[z.ZodString], null>,
    z.ZodTuple<[z.ZodString, z.ZodUnion<readonly [z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodLiteral<false>]>], null>,
  ]
>;
export declare const pluginsSchema: z.ZodArray<
  z.ZodUnion<
    readonly [
      z.ZodString,
      z.ZodTuple<[z.ZodString], null>,
      z.ZodTuple<
        [z.ZodString, z.ZodUnion<readonly [z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodLiteral<false>]>],
        null
      >,
    ]
  >
>;
export declare const extendsSchema: z.ZodOptional<z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>>;
export declare const rcSchema: z.ZodObject<
  {
    $schema: z.ZodOptional<z.ZodString>;
    extends: z.ZodOptional<z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>>;
    rootDir: z.ZodOptional<z.ZodString>;
    socket: z.ZodOptional<z.ZodString>;
    port: z.ZodDefault<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
    readOnlyPort: z.ZodDefault<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
    readOnlySocket: z.ZodDefault<
      z.ZodNullable<
        z.ZodObject<
          {
            path: z.ZodString;
            group: z.ZodUnion<
              readonly [z.ZodString, z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>]
            >;
          },
          z.core.$strict
        >
      >
    >;
    node: z.ZodPrefault<
      z.ZodPipe<
        z.ZodObject<
          {
            name: z.ZodOptional<z.ZodString>;
            labels: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
            taints: z.ZodDefault<
              z.ZodArray<
                z.ZodObject<
                  {
                    key: z.ZodString;
                    value: z.ZodOptional<z.ZodString>;
                    effect: z.ZodEnum<{
                      NoExecute: "NoExecute";
                      NoSchedule: "NoSchedule";
                      PreferNoSchedule: "PreferNoSchedule";
                    }>;
                  },
                  z.core.$strict
                >
              >
            >;
            maxPods: z.ZodDefault<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
            systemReserved: z.ZodPrefault<
              z.ZodRecord<
                z.ZodEnum<{
                  cpu: "cpu";
                  "ephemeral-storage": "ephemeral-storage";
                  memory: "memory";
                  pid: "pid";
                }> &
                  z.core.$partial,
                z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
              >
            >;
            kubeReserved: z.ZodPrefault<
              z.ZodRecord<
                z.ZodEnum<{
                  cpu: "cpu";
                  "ephemeral-storage": "ephemeral-storage";
                  memory: "memory";
                  pid: "pid";
                }> &
                  z.core.$partial,
                z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
              >
            >;
            reservedSystemCPUs: z.ZodDefault<z.ZodType<string, string, z.core.$ZodTypeInternals<string, string>>>;
            evictionHard: z.ZodPrefault<
              z.ZodRecord<
                z.ZodEnum<{
                  "allocatableMemory.available": "allocatableMemory.available";
                  "containerfs.available": "containerfs.available";
                  "containerfs.inodesFree": "containerfs.inodesFree";
                  "imagefs.available": "imagefs.available";
                  "imagefs.inodesFree": "imagefs.inodesFree";
                  "memory.available": "memory.available";
                  "nodefs.available": "nodefs.available";
                  "nodefs.inodesFree": "nodefs.inodesFree";
                  "pid.available": "pid.available";
                }> &
                  z.core.$partial,
                z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
              >
            >;
            mergeDefaultEvictionSettings: z.ZodDefault<z.ZodBoolean>;
            capacity: z.ZodPrefault<
              z.ZodRecord<
                z.ZodString,
                z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
              >
            >;
            ip: z.ZodOptional<z.ZodUnion<readonly [z.ZodIPv4, z.ZodIPv6]>>;
            clusterDNS: z.ZodDefault<z.ZodArray<z.ZodUnion<readonly [z.ZodIPv4, z.ZodIPv6]>>>;
            clusterDomain: z.ZodDefault<z.ZodUnion<readonly [z.ZodString, z.ZodLiteral<"">]>>;
            resolvConf: z.ZodDefault<z.ZodString>;
            podLogsDir: z.ZodOptional<z.ZodString>;
            containerLogMaxSize: z.ZodPrefault<
              z.ZodType<string, string | number, z.core.$ZodTypeInternals<string, string | number>>
            >;
            containerLogMaxFiles: z.ZodDefault<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
            serializeImagePulls: z.ZodDefault<z.ZodBoolean>;
            maxParallelImagePulls: z.ZodOptional<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
            evictionsPerMinute: z.ZodDefault<z.ZodType<number, number, z.core.$ZodTypeInternals<number, number>>>;
          },
          z.core.$strict
        >,
        z.ZodTransform<
          {
            name?: string | undefined;
            labels: Record<string, string>;
            taints: {
              key: string;
              value?: string | undefined;
              effect: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
            }[];
            maxPods: number;
            systemReserved: Partial<Record<"cpu" | "ephemeral-storage" | "memory" | "pid", string>>;
            kubeReserved: Partial<Record<"cpu" | "ephemeral-storage" | "memory" | "pid", string>>;
            reservedSystemCPUs: string;
            mergeDefaultEvictionSettings: boolean;
            capacity: Record<string, string>;
            ip?: string | undefined;
            clusterDNS: string[];
            clusterDomain: string;
            resolvConf: string;
            podLogsDir?: string | undefined;
            containerLogMaxSize: string;
            containerLogMaxFiles: number;
            serializeImagePulls: boolean;
            maxParallelImagePulls?: number | undefined;
            evictionsPerMinute: number;
            evictionHard: Readonly<Record<string, string>>;
          },
          {
            name?: string | undefined;
            labels: Record<string, string>;
            taints: {
              key: string;
              value?: string | undefined;
              effect: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
            }[];
            maxPods: number;
            systemReserved: Partial<Record<"cpu" | "ephemeral-storage" | "memory" | "pid", string>>;
            kubeReserved: Partial<Record<"cpu" | "ephemeral-storage" | "memory" | "pid", string>>;
            reservedSystemCPUs: string;
            evictionHard: Partial<
              Record<
                | "allocatableMemory.available"
                | "containerfs.available"
                | "containerfs.inodesFree"
                | "imagefs.available"
                | "imagefs.inodesFree"
                | "memory.available"
                | "nodefs.available"
                | "nodefs.inodesFree"
                | "pid.available",
                string
              >
            >;
            mergeDefaultEvictionSettings: boolean;
            capacity: Record<string, string>;
            ip?: string | undefined;
            clusterDNS: string[];
            clusterDomain: string;
            resolvConf: string;
            podLogsDir?: string | undefined;
            containerLogMaxSize: string;
            containerLogMaxFiles: number;
            serializeImagePulls: boolean;
            maxParallelImagePulls?: number | undefined;
            evictionsPerMinute: number;
          }
        >
      >
    >;
    runtime: z.ZodDefault<
      z.ZodUnion<
        readonly [
          z.ZodString,
          z.ZodObject<
            {
              use: z.ZodString;
              options: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
            },
            z.core.$strict
          >,
        ]
      >
    >;
    sources: z.ZodPrefault<
      z.ZodObject<
        {
          manifests: z.ZodDefault<z.ZodNullable<z.ZodString>>;
          manifestUrl: z.ZodDefault<z.ZodNullable<z.ZodURL>>;
          manifestUrlHeader: z.ZodPrefault<
            z.ZodRecord<
              z.ZodString,
              z.ZodPipe<
                z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>,
                z.ZodTransform<string[], string | string[]>
              >
            >
          >;
          fileCheckFrequency: z.ZodPrefault<
            z.ZodType<number, string | number, z.core.$ZodTypeInternals<number, string | number>>
          >;
          httpCheckFrequency: z.ZodPrefault<
            z.ZodType<number, string | number, z.core.$ZodTypeInternals<number, string | number>>
          >;
          restrictions: z.ZodPrefault<
            z.ZodObject<
              {
                manifests: z.ZodOptional<
                  z.ZodObject<
                    {
                      refusePrivileged: z.ZodDefault<z.ZodBoolean>;
                      refuseHostNamespaces: z.ZodDefault<z.ZodBoolean>;
                      allowedHostPaths: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
                      refuseProbeHosts: z.ZodDefault<z.ZodBoolean>;
                    },
                    z.core.$strict
                  >
                >;
                manifestUrl: z.ZodOptional<
                  z.ZodObject<
                    {
                      refusePrivileged: z.ZodDefault<z.ZodBoolean>;
                      refuseHostNamespaces: z.ZodDefault<z.ZodBoolean>;
                      allowedHostPaths: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
                      refuseProbeHosts: z.ZodDefault<z.ZodBoolean>;
                    },
                    z.core.$strict
                  >
                >;
                control: z.ZodOptional<
                  z.ZodObject<
                    {
                      refusePrivileged: z.ZodDefault<z.ZodBoolean>;
                      refuseHostNamespaces: z.ZodDefault<z.ZodBoolean>;
                      allowedHostPaths: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
                      refuseProbeHosts: z.ZodDefault<z.ZodBoolean>;
                    },
                    z.core.$strict
                  >
                >;
                others: z.ZodOptional<
                  z.ZodObject<
                    {
                      refusePrivileged: z.ZodDefault<z.ZodBoolean>;
                      refuseHostNamespaces: z.ZodDefault<z.ZodBoolean>;
                      allowedHostPaths: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
                      refuseProbeHosts: z.ZodDefault<z.ZodBoolean>;
                    },
                    z.core.$strict
                  >
                >;
              },
              z.core.$strict
            >
          >;
        },
        z.core.$strict
      >
    >;
    plugins: z.ZodOptional<
      z.ZodArray<
        z.ZodUnion<
          readonly [
            z.ZodString,
            z.ZodTuple<[z.ZodString], null>,
            z.ZodTuple<
              [z.ZodString, z.ZodUnion<readonly [z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodLiteral<false>]>],
              null
            >,
          ]
        >
      >
    >;
  },
  z.core.$strict
>;
/** The rc file as it is written. `defineConfig` gives it to rc files in JavaScript and TypeScript. */
export type HookletConfig = z.input<typeof rcSchema>;
/** Gives an rc file its types; returns it unchanged. */
export declare function defineConfig(config: HookletConfig): HookletConfig;
