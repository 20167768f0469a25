/** The format of scenarios (design section 9). What is published as scenario.schema.json is made of this. */

import { parseQuantity } from "@hooklet/core/rules";
import { z } from "zod";
import { parseSeconds } from "../values/seconds.js";

// Times in scenarios: a duration as Kubernetes writes it, days too, or a number of seconds.

/** Far longer than a user waits for a simulation. */
const MAX_SECONDS = 400 * 86_400;

const time = z.union([z.string().max(64), z.number()]).refine((value) => {
  const seconds = typeof value === "number" ? value : parseSeconds(value);
  return seconds !== undefined && seconds >= 0 && seconds <= MAX_SECONDS;
}, "a time such as 90s, 10m, 1h30m or 7d, or a number of seconds");

const quantity = z
  .union([z.string().max(64), z.number().nonnegative()])
  .refine((value) => isQuantity(value), "a quantity such as 512Mi, 1Gi, 250m or a number");

function isQuantity(value: string | number): boolean {
  try {
    return typeof value === "number" ? Number.isFinite(value) : parseQuantity(value).nano >= 0n;
  } catch {
    return false;
  }
}

const name = z.string().min(1).max(253);
const count = z.int().min(0).max(1_000_000);

const inodes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const fileSystem = z
  .strictObject({
    capacity: quantity.optional(),
    available: quantity.optional(),
    inodes: inodes.optional(),
    inodesFree: inodes.optional(),
  })
  .describe("A file system. What is left out stays as it is.");

const node = z
  .strictObject({
    name: name.optional().describe("Default: that of the rc file, else node1."),
    cpu: quantity.default("4").describe("Processors."),
    memory: quantity.default("8Gi"),
    pods: z.int().min(1).max(100_000).optional().describe("Default: node.maxPods of the rc file (110)."),
    pids: z.int().min(1).max(4_194_304).default(32_768).describe("Processes that the machine may have."),
    numa: z.int().min(1).max(64).optional().describe("NUMA nodes. Default: as many as the devices name."),
    cgroup: z.enum(["v1", "v2"]).default("v2"),
    imageFs: fileSystem.prefault({}).describe("Where images and writable layers lie: 100Gi, 60Gi of it free."),
    nodeFs: fileSystem.optional().describe("Where volumes and logs lie. Left out: the same file system as imageFs."),
    labels: z.record(z.string(), z.string()).optional(),
  })
  .prefault({});

const image = z
  .strictObject({
    id: z.string().min(1).max(200).optional(),
    names: z.array(z.string().min(1).max(500)).min(1).max(100),
    size: quantity.default("64Mi"),
    pinned: z.boolean().default(false),
    pull: time.optional().describe("How long a pull takes. Default: at once."),
  })
  .describe("An image; without an id one is made of its names.");

const device = z.strictObject({
  id: z.string().min(1).max(200),
  numa: z.union([z.int().min(0).max(63), z.array(z.int().min(0).max(63)).max(64)]).optional(),
  health: z.string().min(1).max(100).default("Healthy"),
});

/** A pod, ConfigMap or Secret as a manifest has it; the reader of manifests checks it. */
const manifest = z.looseObject({
  kind: z.string().max(100).optional().describe("Pod, ConfigMap or Secret. Left out: a Pod."),
  metadata: z.looseObject({ name }),
  spec: z.looseObject({}).optional(),
});

const container = { pod: name, container: name.optional().describe("Left out: the first of spec.containers.") };

const actions = {
  apply: z
    .union([
      z.strictObject({ file: z.string().min(1).max(4096).describe("A manifest, relative to the scenario.") }),
      manifest,
      z.array(manifest).max(10_000),
    ])
    .describe(
      "Pods, ConfigMaps and Secrets, from a file or inline. One of a name that is there already takes its place.",
    ),
  delete: z.union([name, z.array(name).max(10_000)]).describe("Pods, by NAME or NAMESPACE/NAME."),
  deleteObject: z
    .strictObject({
      kind: z.enum(["ConfigMap", "Secret"]),
      name: name.regex(/^[^/]+(\/[^/]+)?$/, "NAME or NAMESPACE/NAME").describe("NAME or NAMESPACE/NAME."),
    })
    .describe("A ConfigMap or Secret goes; who has it already keeps it."),
  probe: z
    .strictObject({
      ...container,
      type: z.enum(["liveness", "readiness", "startup"]),
      result: z.enum(["success", "failure", "warning", "error"]),
      output: z.string().max(10_000).optional(),
      takes: time.optional().describe("How long an attempt takes; longer than its timeout is a failure."),
      healedByRestart: z.boolean().default(false).describe("Until the container ends, instead of for good."),
    })
    .describe("What becomes of a probe from now on. Until the first of these a probe succeeds."),
  exit: z
    .strictObject({ ...container, code: z.int().min(0).max(255).default(0), reason: z.string().max(100).optional() })
    .describe("A running container ends now."),
  onTerm: z
    .strictObject({
      ...container,
      code: z.int().min(0).max(255).optional().describe("With which it ends. Default: 0."),
      after: time
        .optional()
        .describe("How long it takes to end; longer than the grace period: it is killed. Default: at once."),
      ignored: z.boolean().default(false).describe("It runs on until it is killed, instead."),
    })
    .refine((one) => !one.ignored || (one.code === undefined && one.after === undefined), {
      message: "neither code nor after beside ignored: true, for it does not end by itself",
    })
    .describe(
      "What a container does at SIGTERM from now on. Until the first of these it ends with 0, at once; `sleep`, which handles no signal, is killed after the grace period.",
    ),
  usage: z
    .strictObject({
      pod: name.optional().describe("Left out: what runs on the machine beside the pods."),
      container: container.container,
      memory: quantity.optional(),
      disk: quantity.optional().describe("Of the writable layer; without a pod: of the node's file system."),
      volumes: quantity.optional().describe("Of the pod's emptyDir volumes together."),
      logs: quantity.optional(),
      pids: count.optional(),
      over: time.optional().describe("Reached by then, evenly, instead of at once."),
    })
    .describe("What a container uses from now on, until it ends. A container starts with nothing."),
  imageFs: fileSystem,
  nodeFs: fileSystem,
  image: image.describe("An image comes onto the node."),
  registry: image.describe("What a pull of these names brings from now on."),
  device: z
    .strictObject({ resource: name, id: z.string().min(1).max(200), health: z.string().min(1).max(100) })
    .describe("A device reports another health."),
  devicePlugin: z
    .strictObject({ resource: name, state: z.enum(["gone", "back"]) })
    .describe("The device plugin of a resource ends, or comes back and registers again."),
  fault: z
    .strictObject({
      op: z.string().min(1).max(100).describe("Operation of the CRI, such as RemoveImage or CreateContainer."),
      times: z.int().min(1).max(10_000).default(1),
      error: z.string().min(1).max(1000),
    })
    .describe("The next calls of the runtime fail."),
  delay: z
    .strictObject({ op: z.string().min(1).max(100), by: time })
    .describe("Calls of the runtime take so long from now on; 0s ends it."),
  sandbox: z.strictObject({ pod: name }).describe("The pod's sandbox dies with all its containers."),
  shutdown: z
    .enum(["begin", "cancel"])
    .describe("The machine begins to shut down, or cancels it; inhibitors delay it for the pods."),
  agent: z.enum(["restart"]).describe("The agent ends and a new one starts; containers run on."),
} as const;

const actionNames = Object.keys(actions) as readonly (keyof typeof actions)[];

const step = z
  .strictObject({
    at: time,
    ...(Object.fromEntries(Object.entries(actions).map(([key, one]) => [key, one.optional()])) as {
      [Key in keyof typeof actions]: z.ZodOptional<(typeof actions)[Key]>;
    }),
    replicas: z.int().min(1).max(100_000).optional().describe("With apply: so many pods, named NAME-0 and on."),
  })
  .refine((one) => actionNames.filter((key) => one[key] !== undefined).length === 1, {
    message: `exactly one action beside "at" (${actionNames.join(", ")})`,
  })
  .refine((one) => one.replicas === undefined || one.apply !== undefined, {
    message: 'replicas beside "apply" alone',
    path: ["replicas"],
  });

const what = ["pod", "event", "image", "device", "condition", "decision"] as const;

const expectation = z
  .strictObject({
    at: time
      .optional()
      .describe("When it is checked. Left out: at the end. For events and decisions: those until then."),
    pod: name.optional(),
    exists: z.boolean().optional(),
    phase: z.enum(["Pending", "Running", "Succeeded", "Failed"]).optional(),
    ready: z.boolean().optional(),
    restarts: count.optional().describe("Of all its containers."),
    reason: z.string().max(200).optional().describe("The pod's, or that of a container which waits or has ended."),
    event: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Reason of an event; with pod, container or message only such."),
    decision: z.string().min(1).max(300).optional().describe("Part of a decision's outcome; with pod only about it."),
    container: name.optional(),
    env: z.string().min(1).max(1000).optional().describe("Variable of the pod's container, as it was started last."),
    value: z.string().max(1_048_576).nullable().optional().describe("Of the variable; null: it has none."),
    file: z
      .string()
      .min(1)
      .max(4096)
      .regex(/^\//, 'a path that begins with "/"')
      .optional()
      .describe("In the pod's container, of a volume."),
    content: z.string().max(1_048_576).nullable().optional().describe("Of the file; null: there is none."),
    message: z.string().min(1).max(1000).optional().describe("Part of the message."),
    count: count.optional(),
    min: count.optional(),
    max: count.optional(),
    image: z.string().min(1).max(500).optional().describe("Name or id."),
    present: z.boolean().optional(),
    device: z.string().min(1).max(200).optional(),
    resource: name.optional(),
    holder: name.nullable().optional().describe("Pod that has the device; null: no pod."),
    condition: name.optional().describe("Condition of the node, such as MemoryPressure."),
    status: z.enum(["True", "False", "Unknown"]).optional(),
  })
  .refine(
    (one) =>
      one.event !== undefined ||
      one.decision !== undefined ||
      what.filter((key) => one[key] !== undefined).length === 1,
    { message: `what is expected of: one of ${what.join(", ")}` },
  )
  .refine(
    ({ env, file, pod, event, decision }) =>
      (env === undefined && file === undefined) ||
      ((env === undefined) !== (file === undefined) &&
        pod !== undefined &&
        event === undefined &&
        decision === undefined),
    { message: "one of env and file, beside pod alone" },
  )
  .refine((one) => one.value === undefined || one.env !== undefined, {
    message: 'value beside "env" alone',
    path: ["value"],
  })
  .refine((one) => one.content === undefined || one.file !== undefined, {
    message: 'content beside "file" alone',
    path: ["content"],
  });

export const scenarioSchema = z.strictObject({
  description: z.string().max(10_000).optional(),
  node,
  config: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("The rc file's own format. Plugins and files are found from the scenario's directory."),
  rc: z.string().min(1).max(4096).optional().describe("An rc file, relative to the scenario, in place of config."),
  images: z.array(image).max(10_000).default([]).describe("Images that are on the node at the start."),
  registry: z.array(image).max(10_000).default([]).describe("What pulls bring. Other names bring 64Mi at once."),
  devices: z.record(z.string(), z.array(device).max(10_000)).default({}).describe("Devices by resource."),
  trace: z
    .strictObject({
      file: z.string().min(1).max(4096).describe("CSV, relative to the scenario."),
      format: z.literal("hooklet").optional().describe("The only one; may be left out."),
    })
    .optional()
    .describe("Pods of a workload trace, beside the timeline."),
  timeline: z.array(step).max(1_000_000).default([]),
  until: time.describe(`When it ends; at most ${MAX_SECONDS / 86_400} days.`),
  expect: z.array(expectation).max(100_000).default([]),
});

export type ScenarioFile = z.output<typeof scenarioSchema>;
export type Step = ScenarioFile["timeline"][number];
export type Expectation = ScenarioFile["expect"][number];
export type ImageSpec = z.output<typeof image>;
export type FileSystemSpec = z.output<typeof fileSystem>;

/** What is published: JSON Schema draft 2020-12. */
export function scenarioJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(scenarioSchema, { io: "input", unrepresentable: "any" }), title: "hooklet scenario" };
}
