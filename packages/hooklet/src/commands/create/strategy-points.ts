/** What `hooklet create strategy` writes for each point: the rule, an input with its answer, and a scenario that calls it. Pure. */

interface Point {
  /** Whose option it is, by its short name. */
  readonly plugin: string;
  readonly says: string;
  /** The option of the sample. */
  readonly option: "label" | "part";
  /** Types of the plugin's package: of the strategy, and of its input. */
  readonly strategy: string;
  readonly input: string;
  /** The function of the plugin's package that says what is wrong with an answer. */
  readonly fault: string;
  /** What `create` returns. */
  readonly body: string;
  /** An input, of `pod(name, labels)`; and what the answer to it is. */
  readonly sample: string;
  readonly answer: string;
  /** Options of the plugin that the scenario needs beside the strategy. */
  readonly besides?: string;
  /** The scenario without its configuration: its end is another one where the strategy is not followed. */
  readonly scenario: string;
}

const EXPENDABLE = `{ expendable: "true" }`;

/** A step of the timeline that applies a pod. */
function applied(at: string, metadata: string, resources: string, spec = ""): string {
  return `  - at: ${at}
    apply:
      metadata: { ${metadata} }
      spec: { ${spec}containers: [{ name: main, image: "web:1", resources: ${resources} }] }`;
}

/** The strategy points that there are templates for. */
export const POINTS = {
  victims: {
    plugin: "preemption",
    says: "Which pods are evicted for a critical pod: those with the label, and none where they do not free enough",
    option: "label",
    strategy: "VictimsStrategy",
    input: "VictimsInput",
    fault: "victimsFault",
    body: `({ candidates, requirements }) => {
      const victims = candidates.filter(({ pod }) => pod.metadata.labels?.[label] === "true");
      const missing = requirements.find(
        ({ resource, quantity }) => victims.reduce((sum, { requests }) => sum + (requests[resource] ?? 0), 0) < quantity,
      );
      // A strategy may decline: the pod is rejected, and "hooklet explain" tells why.
      if (missing !== undefined) return { decline: \`no pods labelled \${label} free enough \${missing.resource}\` };
      return victims.map(({ uid }) => ({ uid, why: \`labelled \${label}\` }));
    }`,
    sample: `{
  preemptor: pod("critical"),
  candidates: [
    { uid: "a", name: "default/a", pod: pod("a", ${EXPENDABLE}), qosClass: "Burstable", priority: 0, requests: { cpu: 500 } },
    { uid: "b", name: "default/b", pod: pod("b"), qosClass: "Burstable", priority: 0, requests: { cpu: 500 } },
  ],
  requirements: [{ resource: "cpu", quantity: 400 }],
  now: 0,
}`,
    answer: `[{ uid: "a", why: "labelled expendable" }]`,
    scenario: `node: { cpu: "2", memory: 4Gi }
timeline:
${applied("1s", `name: spare, labels: ${EXPENDABLE}`, `{ requests: { cpu: "1" } }`)}
${applied("2s", "name: other", "{ requests: { cpu: 500m } }")}
${applied("30s", "name: critical, namespace: kube-system", `{ requests: { cpu: "1" } }`, "priorityClassName: system-node-critical, ")}
until: 2m
expect:
  # The kubelet would evict pod other, which is just large enough.
  - { pod: spare, phase: Failed, reason: Preempting }
  - { pod: other, phase: Running }
  - { pod: kube-system/critical, phase: Running }
`,
  },
  ranking: {
    plugin: "eviction",
    says: "Which pods are evicted when the node runs short: those with the label first, then by how far they exceed their request",
    option: "label",
    strategy: "RankingStrategy",
    input: "RankingInput",
    fault: "rankingFault",
    body: `({ candidates }) => {
      const rows = candidates.map(({ uid, pod, excess }) => ({ uid, excess, goesFirst: pod.metadata.labels?.[label] === "true" }));
      return rows
        .toSorted((a, b) => Number(b.goesFirst) - Number(a.goesFirst) || b.excess - a.excess)
        .map(({ uid, goesFirst }) => ({ uid, why: goesFirst ? \`labelled \${label}\` : "not labelled" }));
    }`,
    sample: `{
  signal: "memory.available",
  resource: "memory",
  candidates: [
    { uid: "b", name: "default/b", pod: pod("b"), priority: 0, known: true, usage: 9, request: 0, excess: 9 },
    { uid: "a", name: "default/a", pod: pod("a", ${EXPENDABLE}), priority: 0, known: true, usage: 1, request: 0, excess: 1 },
  ],
  layout: { dedicatedImageFs: false, splitContainerImageFs: false },
}`,
    answer: `[{ uid: "a", why: "labelled expendable" }, { uid: "b", why: "not labelled" }]`,
    scenario: `node: { cpu: "2", memory: 4Gi }
timeline:
${applied("1s", `name: spare, labels: ${EXPENDABLE}`, "{ requests: { memory: 256Mi } }")}
${applied("2s", "name: other", "{ requests: { memory: 256Mi } }")}
  - { at: 30s, usage: { pod: spare, memory: 1Gi } }
  - { at: 30s, usage: { pod: other, memory: 2Gi } }
  # What else runs on the machine: 64Mi are left, and at 100Mi pods are evicted.
  - { at: 31s, usage: { memory: 960Mi } }
until: 2m
expect:
  # The kubelet would evict pod other, which exceeds its request by more.
  - { pod: spare, phase: Failed, reason: Evicted }
  - { pod: other, phase: Running }
`,
  },
  order: {
    plugin: "imagegc",
    says: "Which images are removed first: those with the text in a name, then the others in the kubelet's order",
    option: "part",
    strategy: "OrderStrategy",
    input: "OrderInput",
    fault: "orderFault",
    body: `({ candidates }) => {
      const rows = candidates.map((image) => ({ image, goesFirst: image.names.some((name) => name.includes(part)) }));
      return rows.toSorted((a, b) => Number(b.goesFirst) - Number(a.goesFirst)).map(({ image }) => image);
    }`,
    sample: `{ candidates: [image("web:1"), image("expendable/tool:1")], now: 0 }`,
    answer: `[image("expendable/tool:1"), image("web:1")]`,
    besides: ", imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 55",
    scenario: `# Above 60 percent images are removed until 55 are reached. At 85 percent the node removes all unused images at once, and the
# order has no effect.
node: { imageFs: { capacity: 100Gi, available: 50Gi } }
images:
  - { id: "sha256:a", names: ["base:1"], size: 10Gi }
  - { id: "sha256:b", names: ["expendable/tool:1"], size: 10Gi }
timeline:
  - { at: 3m, imageFs: { available: 38Gi } }
until: 15m
expect:
  # The kubelet would remove base:1.
  - { image: "expendable/tool:1", present: false }
  - { image: "base:1" }
`,
  },
  allocation: {
    plugin: "devices",
    says: "Which devices a container gets: those with the text in their id last, the others in the order of their ids",
    option: "part",
    strategy: "AllocationStrategy",
    input: "AllocationInput",
    fault: "allocationFault",
    body: `({ size, candidates, mustInclude, affinity }) => {
      // First what must be taken, then what lies on the NUMA nodes that were chosen: an answer without these is not used.
      const rows = candidates.map(({ id, place }) => ({
        id,
        rank: [mustInclude.includes(id), affinity === undefined || place === "aligned", !id.includes(part)].map(Number).join(""),
      }));
      return rows
        .toSorted((a, b) => b.rank.localeCompare(a.rank))
        .slice(0, size)
        .map(({ id }) => id);
    }`,
    sample: `{
  pod: pod("a"),
  container: { name: "main" },
  resource: "vendor.example/gpu",
  size: 1,
  candidates: [
    { id: "expendable-0", nodes: [], health: "Healthy", place: "no-topology" },
    { id: "gpu-1", nodes: [], health: "Healthy", place: "no-topology" },
  ],
  mustInclude: [],
  affinity: undefined,
  canAsk: false,
  preferred: undefined,
}`,
    answer: `["gpu-1"]`,
    scenario: `node: { cpu: "2", memory: 4Gi }
devices: { vendor.example/gpu: [{ id: expendable-0 }, { id: gpu-1 }] }
timeline:
${applied("1m", "name: trainer", "{ limits: { vendor.example/gpu: 1 } }")}
until: 2m
expect:
  # The kubelet would take expendable-0.
  - { device: gpu-1, holder: trainer }
  - { device: expendable-0, holder: null }
`,
  },
} as const satisfies Readonly<Record<string, Point>>;
