/** Cases about what hooklet has no use for, so that no code of it answers them. Each is skipped by its name. */

interface WithoutUse {
  readonly why: string;
  /** Left out: all cases of the topic. */
  readonly cases?: readonly string[];
}

const NO_DRA = "hooklet has no DRA";
const NOTHING_READ_BACK = "hooklet never reads a CPU weight back";

const topics: Readonly<Record<string, WithoutUse>> = {
  "admission-remove-missing-extended-resources": {
    why: NO_DRA,
    cases: [
      "request for extended resource backed by DRA should be removed if Allocatable is 0",
      "request for implicit extended resource backed by DRA should be removed",
    ],
  },
  "cgroups-shares-equal-after-v2-roundtrip": { why: NOTHING_READ_BACK },
  "cgroups-weight-to-shares": { why: NOTHING_READ_BACK },
  "device-allocate": { why: NO_DRA, cases: ["DRA extended resource, gate on: left to DRA"] },
  "eviction-kill-grace": {
    why: "core, not eviction, keeps the shorter time of a deletion under way",
    cases: ["pod already being deleted with less"],
  },
  "imagegc-schedule": {
    why: "hooklet asks the runtime for the list of images each time",
    cases: ["image detection every 5 minutes, image list cache every 30 seconds"],
  },
  "pod-source": { why: "hooklet's sources mark every pod" },
  "probe-http-check": {
    why: "a kubelet's probes follow no redirect to another host",
    cases: ["redirect bogus other host, follow_other_hosts=True"],
  },
  "probe-result-actions": { why: "the kubelet's sync of a pod and words of its log; hooklet has neither" },
  "probe-worker": {
    why: "the rule of older kubelets",
    cases: ["liveness", "readiness", "startup"].map(
      (kind) => `${kind}: container terminated with 0, policy OnFailure, older rule`,
    ),
  },
};

/** Why nothing answers the case; undefined: it is put to hooklet. */
export function withoutUse(topic: string, name: string): string | undefined {
  const { why, cases } = (Object.hasOwn(topics, topic) ? topics[topic] : undefined) ?? { why: undefined };
  return cases === undefined || cases.includes(name) ? why : undefined;
}
