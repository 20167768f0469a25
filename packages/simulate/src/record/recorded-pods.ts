/** Pods of a node as a scenario has them: what decisions go by, and no secrets. Pure. */
import { hasEnded, isRecord, restartPolicyRules } from "@hooklet/manifest";
import type * as v1 from "kubernetes-types/core/v1.js";

type Plain = Readonly<Record<string, unknown>>;

export interface CleanOptions {
  /** Commands, arguments and values of the environment too: they may hold secrets. */
  readonly withEnv: boolean;
}

const POD_FIELDS = [
  "restartPolicy",
  "terminationGracePeriodSeconds",
  "activeDeadlineSeconds",
  "priority",
  "priorityClassName",
  "hostNetwork",
  "hostPID",
  "hostIPC",
  "nodeSelector",
  "tolerations",
  "overhead",
  "os",
] as const;
const CONTAINER_FIELDS = ["name", "image", "imagePullPolicy", "ports", "resources", "restartPolicy"] as const;
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
/** Annotations of these prefixes say what the kubelet, or hooklet, does with the pod. */
const ANNOTATIONS = /hooklet\.dev\/|^scheduler\.alpha\.kubernetes\.io\//;

/** Undefined: it has ended. */
export function recordedPod(pod: v1.Pod, options: CleanOptions): Plain | undefined {
  const { metadata = {}, spec } = pod;
  if (spec === undefined || hasEnded(pod)) return undefined;
  const volumes = (spec.volumes ?? []).flatMap(recordedVolume);
  const kept = new Set(volumes.map(({ name }) => name));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => ANNOTATIONS.test(key));
  const container = (one: v1.Container): Plain => recordedContainer(one, kept, options);
  return {
    metadata: {
      name: metadata.name ?? "",
      ...(metadata.namespace === undefined || metadata.namespace === "default"
        ? {}
        : { namespace: metadata.namespace }),
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    },
    spec: {
      ...picked(spec, POD_FIELDS),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(container) }),
      containers: spec.containers.map(container),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** Oldest first: they come onto the simulated node in the order in which they came onto the real one. */
export function byStart(pods: readonly v1.Pod[]): readonly v1.Pod[] {
  const started = ({ metadata, status }: v1.Pod): string =>
    String(status?.startTime ?? metadata?.creationTimestamp ?? "");
  return [...pods].sort((a, b) => started(a).localeCompare(started(b)));
}

function recordedContainer(container: v1.Container, volumes: ReadonlySet<string>, { withEnv }: CleanOptions): Plain {
  const mounts = (container.volumeMounts ?? []).filter(({ name }) => volumes.has(name));
  const probes = PROBES.flatMap((name) => {
    const probe = container[name];
    return probe === undefined ? [] : [[name, withEnv ? probe : withoutCommand(probe)] as const];
  });
  const rules = restartPolicyRules(container);
  const env = (container.env ?? []).filter(({ valueFrom }) => valueFrom === undefined);
  return {
    ...picked(container, CONTAINER_FIELDS),
    ...(rules.length === 0 ? {} : { restartPolicyRules: rules }),
    ...(withEnv ? picked(container, ["command", "args"]) : {}),
    ...(withEnv && env.length > 0 ? { env } : {}),
    ...Object.fromEntries(probes),
    ...(mounts.length === 0
      ? {}
      : { volumeMounts: mounts.map((mount) => picked(mount, ["name", "mountPath", "readOnly"])) }),
  };
}

/** Of a command only that there is one. */
function withoutCommand(probe: v1.Probe): Plain {
  const { exec, httpGet, ...rest } = probe;
  return {
    ...rest,
    ...(exec === undefined ? {} : { exec: { command: ["true"] } }),
    // Headers may carry a token.
    ...(httpGet === undefined ? {} : { httpGet: picked(httpGet, ["path", "port", "scheme", "host"]) }),
  };
}

/** What lies elsewhere (objects, networks) becomes a folder: the simulated node has nothing else. */
function recordedVolume({
  name,
  emptyDir,
  hostPath,
}: v1.Volume): readonly { readonly name: string; readonly emptyDir: object }[] {
  if (hostPath !== undefined) return [];
  return [{ name, emptyDir: isRecord(emptyDir) ? emptyDir : {} }];
}

function picked<One extends object>(from: One, keys: readonly (keyof One & string)[]): Plain {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));
}
