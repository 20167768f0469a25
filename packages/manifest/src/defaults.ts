/** What the API server fills in (pkg/apis/core/v1/defaults.go), which a kubelet does itself for static pods. */
import type {
  Container,
  ContainerPort,
  HTTPGetAction,
  LifecycleHandler,
  Pod,
  PodSpec,
  Probe,
  ResourceRequirements,
  Volume,
} from "kubernetes-types/core/v1.js";
import type { Pod as HeldPod } from "./pod.js";
import { isHugePages, isPodLevelResource } from "./resources/list.js";
import { podRequestList, rawPodLevelResources } from "./resources/pod-requests.js";
import { formatQuantity } from "./resources/quantity.js";

/** A new pod with every default set; the given one is left as it is. It must have the right shape. */
export function defaultPod(pod: Pod): Pod {
  const { apiVersion: _, kind: __, spec = { containers: [] }, ...rest } = pod;
  const defaulted: Pod = { apiVersion: "v1", kind: "Pod", ...rest, spec: defaultSpec(spec) };
  return defaultPodResources(defaulted);
}

function defaultSpec(spec: PodSpec): PodSpec {
  const container = (one: Container): Container => defaultContainer(one, spec.hostNetwork === true);
  return {
    ...spec,
    ...(spec.volumes && { volumes: spec.volumes.map(defaultVolume) }),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(container) }),
    containers: (spec.containers ?? []).map(container),
    restartPolicy: spec.restartPolicy || "Always",
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    dnsPolicy: spec.dnsPolicy || "ClusterFirst",
    securityContext: spec.securityContext ?? {},
    schedulerName: spec.schedulerName || "default-scheduler",
    enableServiceLinks: spec.enableServiceLinks ?? true,
  };
}

function defaultVolume(volume: Volume): Volume {
  if (volume.hostPath) return { ...volume, hostPath: { ...volume.hostPath, type: volume.hostPath.type ?? "" } };
  const { configMap, secret, projected, downwardAPI } = volume;
  if (configMap) return { ...volume, configMap: withMode(configMap) };
  if (secret) return { ...volume, secret: withMode(secret) };
  if (downwardAPI) return { ...volume, downwardAPI: { ...withMode(downwardAPI), ...downwardItems(downwardAPI) } };
  if (projected) {
    return {
      ...volume,
      projected: { ...withMode(projected), sources: (projected.sources ?? []).map(defaultProjection) },
    };
  }
  const isKnown = volume.emptyDir || volume.persistentVolumeClaim || volume.csi || volume.ephemeral;
  return isKnown ? volume : { ...volume, emptyDir: {} };
}

/** rw-r--r-- */
const DEFAULT_MODE = 0o644;

function withMode<T extends { defaultMode?: number }>(source: T): T {
  return { ...source, defaultMode: source.defaultMode ?? DEFAULT_MODE };
}

type DownwardItems = NonNullable<NonNullable<Volume["downwardAPI"]>["items"]>;

function downwardItems({ items }: { readonly items?: DownwardItems }): { items?: DownwardItems } {
  if (items === undefined) return {};
  return {
    items: items.map((item) => ({
      ...item,
      ...(item.fieldRef && { fieldRef: { ...item.fieldRef, apiVersion: item.fieldRef.apiVersion || "v1" } }),
      ...(item.resourceFieldRef && {
        resourceFieldRef: { ...item.resourceFieldRef, divisor: item.resourceFieldRef.divisor ?? "0" },
      }),
    })),
  };
}

type Projection = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];

function defaultProjection(source: Projection): Projection {
  const { downwardAPI, serviceAccountToken } = source;
  if (downwardAPI) return { ...source, downwardAPI: { ...downwardAPI, ...downwardItems(downwardAPI) } };
  if (!serviceAccountToken) return source;
  const expirationSeconds = serviceAccountToken.expirationSeconds ?? 3600;
  return { ...source, serviceAccountToken: { ...serviceAccountToken, expirationSeconds } };
}

function defaultContainer(container: Container, hostNetwork: boolean): Container {
  const { ports, env, lifecycle, livenessProbe, readinessProbe, startupProbe, image = "" } = container;
  return {
    ...container,
    ...(ports && { ports: ports.map((port) => defaultPort(port, hostNetwork)) }),
    ...(env && { env: env.map(defaultEnv) }),
    resources: requestsFromLimits(container.resources ?? {}),
    ...(livenessProbe && { livenessProbe: defaultProbe(livenessProbe) }),
    ...(readinessProbe && { readinessProbe: defaultProbe(readinessProbe) }),
    ...(startupProbe && { startupProbe: defaultProbe(startupProbe) }),
    ...(lifecycle && {
      lifecycle: {
        ...lifecycle,
        ...(lifecycle.postStart && { postStart: defaultHandler(lifecycle.postStart) }),
        ...(lifecycle.preStop && { preStop: defaultHandler(lifecycle.preStop) }),
      },
    }),
    terminationMessagePath: container.terminationMessagePath || "/dev/termination-log",
    terminationMessagePolicy: container.terminationMessagePolicy || "File",
    imagePullPolicy: container.imagePullPolicy || pullPolicyOf(image),
  };
}

function defaultPort(port: ContainerPort, hostNetwork: boolean): ContainerPort {
  const hostPort = port.hostPort || (hostNetwork ? port.containerPort : undefined);
  return { ...port, ...(hostPort !== undefined && { hostPort }), protocol: port.protocol || "TCP" };
}

function defaultEnv(entry: NonNullable<Container["env"]>[number]): typeof entry {
  const { fieldRef, resourceFieldRef } = entry.valueFrom ?? {};
  if (fieldRef === undefined && resourceFieldRef === undefined) return entry;
  return {
    ...entry,
    valueFrom: {
      ...entry.valueFrom,
      ...(fieldRef && { fieldRef: { ...fieldRef, apiVersion: fieldRef.apiVersion || "v1" } }),
      ...(resourceFieldRef && { resourceFieldRef: { ...resourceFieldRef, divisor: resourceFieldRef.divisor ?? "0" } }),
    },
  };
}

/** A moving tag is pulled each time. */
function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  const [reference = "", digest] = image.split("@");
  const tag = /:([^/:]+)$/.exec(reference)?.[1];
  return tag === "latest" || (tag === undefined && digest === undefined) ? "Always" : "IfNotPresent";
}

/** A zero is a value left out; a negative one is kept for the validation to find. */
export function defaultProbe(probe: Probe): Probe {
  return {
    ...defaultHandler(probe),
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}

function defaultHandler<Handler extends Probe | LifecycleHandler>(handler: Handler): Handler {
  return {
    ...handler,
    ...(handler.httpGet && { httpGet: defaultHttpGet(handler.httpGet) }),
    ...("grpc" in handler && handler.grpc && { grpc: { ...handler.grpc, service: handler.grpc.service ?? "" } }),
  };
}

function defaultHttpGet(action: HTTPGetAction): HTTPGetAction {
  return { ...action, path: action.path || "/", scheme: action.scheme || "HTTP" };
}

function requestsFromLimits(resources: ResourceRequirements): ResourceRequirements {
  const { limits, requests } = resources;
  if (limits === undefined || Object.keys(limits).length === 0) return resources;
  return { ...resources, requests: { ...limits, ...requests } };
}

/** What the containers ask for together, else the pod's limit. */
function defaultPodResources(pod: Pod): Pod {
  const resources = rawPodLevelResources(pod as HeldPod);
  const limits = Object.entries(resources?.limits ?? {}).filter(([resource]) => isPodLevelResource(resource));
  if (resources === undefined || limits.length === 0) return pod;
  const { overhead: _, ...spec } = pod.spec ?? { containers: [] };
  const asked = podRequestList({ ...pod, spec } as HeldPod, { podLevelResources: false });
  const requests: Record<string, string> = Object.fromEntries(limits);
  for (const [resource, sum] of asked) {
    if (isPodLevelResource(resource) && !isHugePages(resource)) requests[resource] = formatQuantity(sum);
  }
  return {
    ...pod,
    spec: {
      ...spec,
      ...pod.spec,
      resources: { ...resources, requests: { ...requests, ...resources.requests } },
    } as PodSpec,
  };
}
