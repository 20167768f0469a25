/** A sample value of each accepted field, and where it shows in what an agent does. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestNodeOptions } from "../../../../../testkit/src/test-agent/test-agent.js";
import { EARLY, FAILING, LATE, type Product, type TracedPod } from "./trace.js";
import type { Manifest } from "./walk.js";

export interface Case extends Pick<TracedPod, "meanwhile"> {
  readonly value: unknown;
  /** That of the other pod; without: the field is not there. */
  readonly other?: unknown;
  /** What both pods have beside it. `container`: the one that is meant, of fields of a container. */
  readonly base?: (pod: Manifest, container: Manifest) => void;
  readonly shows: Product;
  /** Of the node, where it is another one than for the other cases. */
  readonly node?: TestNodeOptions;
}

const shows = (shows: Product, value: unknown, more: Omit<Case, "shows" | "value"> = {}): Case => ({
  shows,
  value,
  ...more,
});

const volumes = (pod: Manifest): void => {
  pod.spec.volumes = [
    { name: "data", emptyDir: {} },
    { name: "more", emptyDir: {} },
  ];
};
const mounted = (pod: Manifest, container: Manifest): void => {
  volumes(pod);
  container.volumeMounts = [{ name: "data", mountPath: "/data" }];
};
const env = (entry: object) => (_: Manifest, container: Manifest) => {
  container.env = [entry];
};
const ports = (port: object) => (_: Manifest, container: Manifest) => {
  container.ports = [port];
};

let lastPort = 20_000;
/** One that no other case has: a request over the network is known by it. */
const ownPort = (): number => {
  lastPort += 2;
  return lastPort;
};

/** Handlers over the network, of probes and hooks. */
const http = (put: (container: Manifest, handler: object) => void): Readonly<Record<string, Case>> => {
  const given =
    (more: object, port = ownPort()) =>
    (_: Manifest, container: Manifest) =>
      put(container, { httpGet: { port, ...more } });
  const changed = ownPort();
  const header = { name: "X-One", value: "one" };
  return {
    "httpGet.path": shows("requests", "/live", { base: given({}) }),
    "httpGet.port": shows("requests", changed + 1, { other: changed, base: given({}, changed) }),
    "httpGet.host": shows("requests", "192.0.2.99", { base: given({}) }),
    "httpGet.scheme": shows("requests", "HTTPS", { base: given({}) }),
    "httpGet.httpHeaders.name": shows("requests", "X-Two", { other: "X-One", base: given({ httpHeaders: [header] }) }),
    "httpGet.httpHeaders.value": shows("requests", "two", { other: "one", base: given({ httpHeaders: [header] }) }),
  };
};

function probe(kind: "livenessProbe" | "readinessProbe" | "startupProbe"): Readonly<Record<string, Case>> {
  const given = (probe: object) => (_: Manifest, container: Manifest) => {
    container[kind] = probe;
  };
  const tcp = (port: number, more = {}) => given({ tcpSocket: { port }, ...more });
  const numbers: Record<string, Case> = {
    initialDelaySeconds: shows("requests", 15, { base: tcp(80) }),
    timeoutSeconds: shows("requests", 7, { base: tcp(80) }),
    // Of a startup probe that succeeds there is one.
    periodSeconds: shows("requests", 4, { base: tcp(FAILING, { failureThreshold: 30 }) }),
    failureThreshold: shows(kind === "readinessProbe" ? "status" : "calls", 5, {
      base: tcp(kind === "readinessProbe" ? LATE : FAILING, { periodSeconds: 3 }),
    }),
  };
  // A ready container becomes unready only after so many failures: it succeeds first.
  if (kind === "readinessProbe") {
    numbers.failureThreshold = shows("status", 8, { base: tcp(EARLY, { periodSeconds: 5 }) });
    numbers.successThreshold = shows("status", 5, { base: tcp(LATE, { periodSeconds: 3 }) });
  } else {
    numbers.terminationGracePeriodSeconds = shows("calls", 3, { base: tcp(FAILING, { periodSeconds: 3 }) });
  }
  return prefixed(kind, {
    "exec.command": shows("calls", ["look"], { other: ["check"], base: given({ exec: { command: ["check"] } }) }),
    ...http((container, handler) => {
      container[kind] = handler;
    }),
    "tcpSocket.port": shows("requests", 81, { other: 80, base: tcp(80) }),
    "tcpSocket.host": shows("requests", "192.0.2.99", { base: tcp(80) }),
    "grpc.port": shows("requests", 81, { other: 80, base: given({ grpc: { port: 80 } }) }),
    "grpc.service": shows("requests", "live", { base: given({ grpc: { port: 80 } }) }),
    ...numbers,
  });
}

function hook(kind: "postStart" | "preStop"): Readonly<Record<string, Case>> {
  const given = (handler: object) => (_: Manifest, container: Manifest) => {
    container.lifecycle = { [kind]: handler };
  };
  return prefixed(`lifecycle.${kind}`, {
    "exec.command": shows("calls", ["greet"], { other: ["leave"], base: given({ exec: { command: ["leave"] } }) }),
    ...http((container, handler) => {
      container.lifecycle = { [kind]: handler };
    }),
    "sleep.seconds": shows(kind === "preStop" ? "calls" : "status", 12, {
      other: 1,
      base: given({ sleep: { seconds: 1 } }),
    }),
  });
}

function prefixed(prefix: string, cases: Readonly<Record<string, Case>>): Readonly<Record<string, Case>> {
  return Object.fromEntries(Object.entries(cases).map(([at, one]) => [`${prefix}.${at}`, one]));
}

const localhost = { type: "Localhost", localhostProfile: "a" };
const profiles = (
  set: (pod: Manifest, container: Manifest, value: object) => void,
): Readonly<Record<string, Case>> => ({
  "seccompProfile.type": shows("containers", "RuntimeDefault", { other: "Unconfined" }),
  "seccompProfile.localhostProfile": shows("containers", "b", {
    other: "a",
    base: (pod, container) => set(pod, container, { seccompProfile: localhost }),
  }),
  "appArmorProfile.type": shows("containers", "Unconfined", { other: "RuntimeDefault" }),
  "appArmorProfile.localhostProfile": shows("containers", "b", {
    other: "a",
    base: (pod, container) => set(pod, container, { appArmorProfile: localhost }),
  }),
});

const small = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "200m", memory: "128Mi" } };

/** Of each container, those before the others too (as a sidecar). */
export const ofContainers: Readonly<Record<string, Case>> = {
  name: shows("containers", "first", { other: "second" }),
  image: shows("containers", "other:1", { other: "app:1" }),
  command: shows("containers", ["app", "-v"], { other: ["app"] }),
  args: shows("containers", ["-v"]),
  workingDir: shows("containers", "/work"),
  "ports.name": shows("requests", "web", {
    other: "other",
    base: (pod, container) => {
      ports({ name: "web", containerPort: 80 })(pod, container);
      container.readinessProbe = { tcpSocket: { port: "web" } };
    },
  }),
  "ports.containerPort": shows("sandbox", 81, { other: 80, base: ports({ containerPort: 80, hostPort: 8082 }) }),
  "ports.hostPort": shows("sandbox", 8080, { base: ports({ containerPort: 80 }) }),
  "ports.protocol": shows("sandbox", "UDP", { base: ports({ containerPort: 80, hostPort: 8084 }) }),
  "ports.hostIP": shows("sandbox", "192.0.2.10", { base: ports({ containerPort: 80, hostPort: 8086 }) }),
  "env.name": shows("containers", "TWO", { other: "ONE", base: env({ name: "ONE", value: "1" }) }),
  "env.value": shows("containers", "2", { other: "1", base: env({ name: "ONE", value: "1" }) }),
  "env.valueFrom.fieldRef.fieldPath": shows("containers", "metadata.namespace", {
    other: "metadata.name",
    base: env({ name: "ONE", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }),
  }),
  "env.valueFrom.resourceFieldRef.containerName": shows("containers", "aside", {
    base: (pod, container) => {
      pod.spec.containers.push({
        name: "aside",
        image: "app:1",
        command: ["app"],
        resources: { limits: { cpu: "3" } },
      });
      container.resources = { limits: { cpu: "1" } };
      env({ name: "ONE", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } })(pod, container);
    },
  }),
  "env.valueFrom.resourceFieldRef.resource": shows("containers", "requests.cpu", {
    other: "limits.cpu",
    base: (pod, container) => {
      container.resources = { limits: { cpu: "2" }, requests: { cpu: "1" } };
      env({ name: "ONE", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } })(pod, container);
    },
  }),
  "env.valueFrom.resourceFieldRef.divisor": shows("containers", "1m", {
    base: (pod, container) => {
      container.resources = { limits: { cpu: "2" } };
      env({ name: "ONE", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } })(pod, container);
    },
  }),
  "resources.limits": shows("containers", { cpu: "1", memory: "64Mi" }),
  "resources.requests": shows("containers", { cpu: "1" }),
  "volumeMounts.name": shows("containers", "more", { other: "data", base: mounted }),
  "volumeMounts.readOnly": shows("containers", true, { base: mounted }),
  "volumeMounts.recursiveReadOnly": shows("status", "Enabled", {
    base: (pod, container) => {
      mounted(pod, container);
      for (const mount of (container ?? pod.spec.containers[0]).volumeMounts) mount.readOnly = true;
    },
  }),
  "volumeMounts.mountPath": shows("containers", "/more", { other: "/data", base: mounted }),
  "volumeMounts.subPath": shows("containers", "below", { base: mounted }),
  "volumeMounts.mountPropagation": shows("containers", "HostToContainer", { base: mounted }),
  "volumeMounts.subPathExpr": shows("containers", "$(ONE)", {
    base: (pod, container) => {
      mounted(pod, container);
      env({ name: "ONE", value: "1" })(pod, container);
    },
  }),
  ...probe("livenessProbe"),
  ...probe("readinessProbe"),
  ...probe("startupProbe"),
  ...hook("postStart"),
  ...hook("preStop"),
  terminationMessagePath: shows("containers", "/tmp/why"),
  terminationMessagePolicy: shows("status", "FallbackToLogsOnError"),
  imagePullPolicy: shows("calls", "Always", {
    base: (_, container) => {
      container.image = "own:1";
    },
  }),
  ...prefixed("securityContext", {
    "capabilities.add": shows("containers", ["SYS_TIME"]),
    "capabilities.drop": shows("containers", ["KILL"]),
    privileged: shows("containers", true),
    ...profiles((_, container, value) => {
      container.securityContext = value;
    }),
    runAsUser: shows("containers", 1000),
    runAsGroup: shows("containers", 1000, {
      base: (_, container) => {
        container.securityContext = { runAsUser: 1000 };
      },
    }),
    runAsNonRoot: shows("status", true),
    readOnlyRootFilesystem: shows("containers", true),
    allowPrivilegeEscalation: shows("containers", false),
  }),
  stdin: shows("containers", true),
  stdinOnce: shows("containers", true, {
    base: (_, container) => {
      container.stdin = true;
    },
  }),
  tty: shows("containers", true),
};

const rule = { action: "Restart", exitCodes: { operator: "In", values: [3] } };
const ruled = (pod: Manifest, container: Manifest): void => {
  pod.spec.restartPolicy = "Never";
  container.restartPolicy = "Never";
  container.restartPolicyRules = [structuredClone(rule)];
};

/** Of the containers that are not before the others. */
export const ofMainContainers: Readonly<Record<string, Case>> = {
  restartPolicy: shows("calls", "Never"),
  "restartPolicyRules.exitCodes.operator": shows("calls", "NotIn", { other: "In", base: ruled }),
  "restartPolicyRules.exitCodes.values": shows("calls", [4], { other: [3], base: ruled }),
};

/** Of those that are. */
export const ofInitContainers: Readonly<Record<string, Case>> = {
  restartPolicy: shows("calls", "Always", {
    base: (_, container) => {
      delete container.restartPolicy;
    },
  }),
  "restartPolicyRules.exitCodes.operator": shows("calls", "NotIn", { other: "In", base: ruled }),
  "restartPolicyRules.exitCodes.values": shows("calls", [4], { other: [3], base: ruled }),
};

const expression = (field: "matchExpressions" | "matchFields", part: object) => (pod: Manifest) => {
  pod.spec.affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ [field]: [part] }] } },
  };
};
const term = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
const ssd = { key: "disk", operator: "In", values: ["ssd"] };
const here = { key: "metadata.name", operator: "In", values: ["node1"] };
const tainted = { node: { taints: [{ key: "only", value: "gpu", effect: "NoExecute" }] } } satisfies Pick<Case, "node">;
const tolerating = (pod: Manifest): void => {
  pod.spec.tolerations = [{ key: "only", operator: "Equal", value: "gpu", effect: "NoExecute" }];
};
const folder = mkdtempSync(path.join(tmpdir(), "hooklet-accepted-"));
const hostPath = (type?: string) => (pod: Manifest, container: Manifest) => {
  pod.spec.volumes = [{ name: "data", hostPath: { path: folder, ...(type && { type }) } }];
  (container ?? pod.spec.containers[0]).volumeMounts = [{ name: "data", mountPath: "/data" }];
};

export const ofPods: Readonly<Record<string, Case>> = {
  "metadata.name": shows("sandbox", "first", { other: "second" }),
  "metadata.namespace": shows("sandbox", "own", { other: "default" }),
  "metadata.labels": shows("sandbox", { app: "web" }),
  "metadata.annotations": shows("sandbox", { note: "x" }),
  ...prefixed("spec", {
    "volumes.emptyDir.medium": shows("files", "Memory", { base: (pod) => mounted(pod, pod.spec.containers[0]) }),
    "volumes.emptyDir.sizeLimit": shows("status", "1Mi", {
      base: (pod) => mounted(pod, pod.spec.containers[0]),
      meanwhile: async ({ runtime, host }, { metadata }) => {
        const volume = runtime
          .configOf(metadata.name, "main")
          .mounts.find(({ containerPath }) => containerPath === "/data");
        host.setDiskUsage(volume?.hostPath ?? "", { usedBytes: 5 * 1024 ** 2, inodesUsed: 1 });
      },
    }),
    "volumes.hostPath.path": shows("containers", tmpdir(), { other: folder, base: hostPath() }),
    "volumes.hostPath.type": shows("containers", "File", { other: "Directory", base: hostPath("Directory") }),
    restartPolicy: shows("calls", "Never"),
    terminationGracePeriodSeconds: shows("calls", 7),
    activeDeadlineSeconds: shows("status", 20),
    dnsPolicy: shows("sandbox", "Default"),
    nodeSelector: shows("status", { disk: "hdd" }),
    hostNetwork: shows("sandbox", true),
    hostPID: shows("sandbox", true),
    hostIPC: shows("sandbox", true),
    shareProcessNamespace: shows("sandbox", true),
    ...prefixed("securityContext", {
      ...profiles((pod, _, value) => {
        pod.spec.securityContext = value;
      }),
      runAsUser: shows("containers", 1000),
      runAsGroup: shows("containers", 1000, {
        base: (pod) => {
          pod.spec.securityContext = { runAsUser: 1000 };
        },
      }),
      runAsNonRoot: shows("status", true),
      supplementalGroups: shows("containers", [7]),
      fsGroup: shows("containers", 7),
      "sysctls.name": shows("sandbox", "net.ipv4.ip_unprivileged_port_start", {
        other: "net.ipv4.tcp_syncookies",
        base: (pod) => {
          pod.spec.securityContext = { sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }] };
        },
      }),
      "sysctls.value": shows("sandbox", "0", {
        other: "1",
        base: (pod) => {
          pod.spec.securityContext = { sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }] };
        },
      }),
    }),
    hostname: shows("sandbox", "own"),
    subdomain: shows("files", "own"),
    [`${term}.matchExpressions.key`]: shows("status", "size", {
      other: "disk",
      base: expression("matchExpressions", ssd),
    }),
    [`${term}.matchExpressions.operator`]: shows("status", "NotIn", {
      other: "In",
      base: expression("matchExpressions", ssd),
    }),
    [`${term}.matchExpressions.values`]: shows("status", ["hdd"], {
      other: ["ssd"],
      base: expression("matchExpressions", ssd),
    }),
    [`${term}.matchFields.operator`]: shows("status", "NotIn", { other: "In", base: expression("matchFields", here) }),
    [`${term}.matchFields.values`]: shows("status", ["node2"], {
      other: ["node1"],
      base: expression("matchFields", here),
    }),
    "tolerations.key": shows("status", "other", { other: "only", base: tolerating, ...tainted }),
    "tolerations.operator": shows("status", "Exists", {
      other: "Equal",
      ...tainted,
      base: (pod) => {
        pod.spec.tolerations = [{ key: "only", operator: "Equal", effect: "NoExecute" }];
      },
    }),
    "tolerations.value": shows("status", "cpu", { other: "gpu", base: tolerating, ...tainted }),
    "tolerations.effect": shows("status", "NoSchedule", { other: "NoExecute", base: tolerating, ...tainted }),
    "hostAliases.ip": shows("files", "192.0.2.8", {
      other: "192.0.2.7",
      base: (pod) => {
        pod.spec.hostAliases = [{ ip: "192.0.2.7", hostnames: ["one"] }];
      },
    }),
    "hostAliases.hostnames": shows("files", ["two"], {
      other: ["one"],
      base: (pod) => {
        pod.spec.hostAliases = [{ ip: "192.0.2.7", hostnames: ["one"] }];
      },
    }),
    priorityClassName: shows("containers", "system-node-critical"),
    "dnsConfig.nameservers": shows("sandbox", ["192.0.2.7"]),
    "dnsConfig.searches": shows("sandbox", ["example.com"]),
    "dnsConfig.options.name": shows("sandbox", "edns0", {
      other: "debug",
      base: (pod) => {
        pod.spec.dnsConfig = { options: [{ name: "debug" }] };
      },
    }),
    "dnsConfig.options.value": shows("sandbox", "2", {
      base: (pod) => {
        pod.spec.dnsConfig = { options: [{ name: "ndots" }] };
      },
    }),
    "readinessGates.conditionType": shows("status", "example.com/ready", { other: "example.com/other" }),
    overhead: shows(
      "cgroups",
      { cpu: "250m", memory: "64Mi" },
      {
        base: (pod) => {
          pod.spec.containers[0].resources = small;
        },
      },
    ),
    setHostnameAsFQDN: shows("sandbox", true, {
      base: (pod) => {
        pod.spec.subdomain = "own";
      },
    }),
    "os.name": shows("status", "windows", { other: "linux" }),
    "resources.limits": shows("cgroups", { cpu: "1", memory: "256Mi" }),
    "resources.requests": shows("cgroups", { cpu: "1" }),
    hostnameOverride: shows("sandbox", "other-name"),
  }),
};

/** Fields that may have one value alone, or the one that another field names; with another value, which is refused by name. */
export const oneValue: Readonly<Record<string, Pick<Case, "value" | "base">>> = {
  "spec.volumes.name": { value: "other", base: mounted },
  [`spec.${term}.matchFields.key`]: { value: "metadata.namespace", base: expression("matchFields", here) },
  ...Object.fromEntries(
    ["containers", "initContainers"].flatMap((list) =>
      Object.entries({
        "restartPolicyRules.action": { value: "Stop", base: ruled },
        "env.valueFrom.fieldRef.apiVersion": {
          value: "v2",
          base: env({ name: "ONE", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }),
        },
        "livenessProbe.successThreshold": { value: 2, base: probed("livenessProbe") },
        "startupProbe.successThreshold": { value: 2, base: probed("startupProbe") },
        "readinessProbe.terminationGracePeriodSeconds": { value: 2, base: probed("readinessProbe") },
      }).map(([at, one]) => [`spec.${list}.${at}`, one]),
    ),
  ),
};

function probed(kind: string) {
  return (_: Manifest, container: Manifest): void => {
    container[kind] = { tcpSocket: { port: 80 } };
  };
}
