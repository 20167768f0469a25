import { createHash } from "node:crypto";
import { type Container, namespacedName, type Pod } from "@hooklet/core";

/** A container's parts that a test cares about; everything else is as the API server defaults it. */
export interface ContainerParts extends Partial<Container> {
  /** Short for `resources.requests`. */
  readonly requests?: Readonly<Record<string, string>>;
  /** Short for `resources.limits`; a limit without a request is also the request. */
  readonly limits?: Readonly<Record<string, string>>;
}

/** A defaulted container, named `main`, of image `app:1`. */
export function aContainer({ requests, limits, ...parts }: ContainerParts = {}): Container {
  return {
    name: "main",
    image: "app:1",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
    resources: {
      ...(limits === undefined ? {} : { limits: { ...limits } }),
      ...(limits === undefined && requests === undefined ? {} : { requests: { ...limits, ...requests } }),
    },
    ...parts,
  };
}

/** A pod's parts that a test cares about. */
export interface PodParts {
  /** Default `web`. */
  readonly name?: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Default: 32 hex digits that depend on namespace and name only. */
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** `file`, `http` or `api`: the annotation `kubernetes.io/config.source`. Default `api`; `file` makes a static pod. */
  readonly source?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  /** Default: one `aContainer()`. */
  readonly containers?: readonly ContainerParts[];
  readonly initContainers?: readonly ContainerParts[];
  /** Any further field of the spec. */
  readonly spec?: Partial<Pod["spec"]>;
  readonly status?: NonNullable<Pod["status"]>;
}

/** A defaulted, valid pod as the core holds it. */
export function aPod(parts: PodParts = {}): Pod {
  const { name = "web", namespace = "default", initContainers = [], labels, createdAt, status } = parts;
  const created = createdAt === undefined ? {} : { creationTimestamp: new Date(createdAt).toISOString() };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid: parts.uid ?? createHash("md5").update(namespacedName({ namespace, name })).digest("hex"),
      annotations: { "kubernetes.io/config.source": parts.source ?? "api", ...parts.annotations },
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...created,
    },
    spec: {
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      schedulerName: "default-scheduler",
      securityContext: {},
      ...(initContainers.length === 0 ? {} : { initContainers: initContainers.map(aContainer) }),
      ...parts.spec,
      containers: (parts.containers ?? [{}]).map(aContainer),
    },
    ...(status === undefined ? {} : { status }),
  };
}
