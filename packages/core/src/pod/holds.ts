/**
 * The resources that a pod holds, saved on its sandbox: a restarted agent knows them before the pod's source has delivered it. Contains the
 * part of the spec that admission and preemption read, in the API's shape. Pure.
 */

import { type Container, type Pod, parseQuantity } from "@hooklet/manifest";
import type { PodSpec } from "kubernetes-types/core/v1.js";
import { z } from "zod";
import type { StatusOverrides } from "./status-overrides.js";

export const HOLDS_ANNOTATION = "hooklet.dev/holds";
/** The source that wanted the pod, by name: another one does not get it over a restart of the agent. */
export const SOURCE_ANNOTATION = "hooklet.dev/source";
/** The root directory of the agent that made the sandbox. */
export const ROOT_DIR_ANNOTATION = "hooklet.dev/root-dir";
const VERSION = 1;
/** Characters. A pod that would need more is as one of an older agent: it counts with what is known. */
const LIMIT = 65_536;

const quantity = z.string().max(64).refine(isQuantity);
const quantities = z.record(z.string().max(320), quantity);
const container = z.object({
  name: z.string().max(63),
  restartPolicy: z.string().max(16).optional(),
  resources: z.object({ requests: quantities.optional(), limits: quantities.optional() }).optional(),
  ports: z
    .array(
      z.object({
        containerPort: z.int().min(0).max(65_535),
        hostPort: z.int().min(1).max(65_535),
        hostIP: z.string().max(64).optional(),
        protocol: z.string().max(8).optional(),
      }),
    )
    .optional(),
});
const holds = z.object({
  version: z.literal(VERSION),
  priority: z.int().optional(),
  priorityClassName: z.string().max(253).optional(),
  overhead: quantities.optional(),
  resources: container.shape.resources,
  initContainers: z.array(container).optional(),
  containers: z.array(container),
});

type Holds = z.infer<typeof holds>;
/** The installed Kubernetes types are older than `resources`. */
type Spec = PodSpec & { readonly resources?: Container["resources"] };

/** The annotation's value; undefined when it would be too long. */
export function holdsText({ spec }: Pick<Pod, "spec">): string | undefined {
  const { priority, priorityClassName, overhead, resources, initContainers, containers } = spec as Spec;
  const noted = {
    version: VERSION,
    ...(priority === undefined ? {} : { priority }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(overhead === undefined ? {} : { overhead: texts(overhead) }),
    ...notedResources(resources),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(notedContainer) }),
    containers: containers.map(notedContainer),
  } satisfies Holds;
  const text = JSON.stringify(noted);
  return text.length > LIMIT ? undefined : text;
}

/** The part of the pod's spec that was noted; undefined for none, another version, and what no agent wrote. */
export function holdsSpec(text: string | undefined): PodSpec | undefined {
  if (text === undefined || text.length > LIMIT) return undefined;
  const read = holds.safeParse(json(text));
  if (!read.success) return undefined;
  const { version: _, ...spec } = read.data;
  return spec as PodSpec;
}

function notedContainer({ name, restartPolicy, resources, ports }: Container): z.infer<typeof container> {
  const held = (ports ?? []).flatMap(({ containerPort, hostPort, hostIP, protocol }) =>
    hostPort === undefined || hostPort <= 0
      ? []
      : {
          containerPort,
          hostPort,
          ...(hostIP === undefined ? {} : { hostIP }),
          ...(protocol === undefined ? {} : { protocol }),
        },
  );
  return {
    name,
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
    ...notedResources(resources),
    ...(held.length === 0 ? {} : { ports: held }),
  };
}

function notedResources(resources: Container["resources"]): Pick<Holds, "resources"> {
  const { requests, limits } = resources ?? {};
  if (requests === undefined && limits === undefined) return {};
  return {
    resources: {
      ...(requests === undefined ? {} : { requests: texts(requests) }),
      ...(limits === undefined ? {} : { limits: texts(limits) }),
    },
  };
}

/** YAML reads `cpu: 1` as a number. */
function texts(amounts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// What a pod holds of the node: what is applied, while it waits for more or less (a resize in place).

/** The last spec of each, so that the same overrides of the same pod give the same object. */
const known = new WeakMap<StatusOverrides["applied"], { readonly of: Pod["spec"]; readonly spec: Pod["spec"] }>();

/** The pod with the amounts that plugins say are applied. */
export function holding(pod: Pod, { applied }: Pick<StatusOverrides, "applied">): Pod {
  if (Object.keys(applied).length === 0) return pod;
  const before = known.get(applied);
  const spec = before?.of === pod.spec ? before.spec : specOf(pod.spec, applied);
  known.set(applied, { of: pod.spec, spec });
  return { ...pod, spec };
}

function specOf(spec: Pod["spec"], applied: StatusOverrides["applied"]): Pod["spec"] {
  const withOwn = (container: Container): Container => {
    const own = applied[container.name];
    if (own === undefined) return container;
    const { requests = {}, limits = {} } = own;
    return { ...container, resources: { ...container.resources, requests: { ...requests }, limits: { ...limits } } };
  };
  const { containers, initContainers } = spec;
  return {
    ...spec,
    containers: containers.map(withOwn),
    ...(initContainers !== undefined && { initContainers: initContainers.map(withOwn) }),
  };
}
