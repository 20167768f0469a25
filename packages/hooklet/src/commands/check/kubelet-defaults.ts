/** What a KubeletConfiguration leaves to the kubelet although it is written there, as kubeadm writes it. Pure. */

import { isRecord } from "@hooklet/manifest";
import { parseDuration } from "@hooklet/utils";

/**
 * Zero is the default of these: SetDefaults_KubeletConfiguration (pkg/kubelet/apis/config/v1beta1/defaults.go). Others are pointers
 * there, of which only an absent one gets its default, or are off at zero.
 */
const ZERO_IS_DEFAULT: ReadonlySet<string> = new Set([
  "syncFrequency",
  "fileCheckFrequency",
  "httpCheckFrequency",
  "streamingConnectionIdleTimeout",
  "nodeStatusUpdateFrequency",
  "nodeStatusReportFrequency",
  "imageMinimumGCAge",
  "volumeStatsAggPeriod",
  "cpuManagerReconcilePeriod",
  "runtimeRequestTimeout",
  "evictionPressureTransitionPeriod",
  "cacheTTL",
  "cacheAuthorizedTTL",
  "cacheUnauthorizedTTL",
  "port",
  "maxPods",
  "maxOpenFiles",
  "nodeLeaseDurationSeconds",
  "registryBurst",
  "eventBurst",
  "kubeAPIBurst",
]);

/** An empty name of it says something: containers have no resolv.conf of the machine. */
const EMPTY_COUNTS = "resolvConf";

/** Objects whose fields have defaults of their own. */
const NESTED = ["authentication", "authorization", "webhook"];

/** The fields that say something, in their order. */
export function withoutDefaults(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const said = Object.entries(fields).filter(([field, value]) => !isDefault(field, value));
  return Object.fromEntries(
    said.map(([field, value]) => [field, NESTED.includes(field) && isRecord(value) ? withoutDefaults(value) : value]),
  );
}

function isDefault(field: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (value === "") return field !== EMPTY_COUNTS;
  return ZERO_IS_DEFAULT.has(field) && isZero(value);
}

function isZero(value: unknown): boolean {
  return value === 0 || (typeof value === "string" && parseDuration(value) === 0);
}
