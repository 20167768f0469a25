import type { Provided, ProvidedKind } from "../provided.js";
import {
  flag,
  int32,
  int64,
  list,
  map,
  NEEDS_API_SERVER,
  object,
  portRef,
  quantity,
  refused,
  type Shape,
  text,
} from "../shape.js";

const amounts = map(quantity);

export const resources = {
  is: "object",
  fields: { limits: amounts, requests: amounts, claims: refused(NEEDS_API_SERVER) },
} satisfies Shape;

const resizePolicy = list(object({ resourceName: text, restartPolicy: text }));

const profile = object({ type: text, localhostProfile: text });
const identity = { runAsUser: int64, runAsGroup: int64, runAsNonRoot: flag };
const profiles = {
  seccompProfile: profile,
  appArmorProfile: profile,
  seLinuxOptions: refused(),
  windowsOptions: refused(),
};

export const podSecurityContext = object({
  ...profiles,
  ...identity,
  supplementalGroups: list(int64),
  supplementalGroupsPolicy: refused(undefined, "Merge"),
  fsGroup: int64,
  sysctls: list(object({ name: text, value: text })),
  fsGroupChangePolicy: text,
  seLinuxChangePolicy: refused(undefined, "MountOption", "Recursive"),
});

const securityContext = object({
  capabilities: object({ add: list(text), drop: list(text) }),
  privileged: flag,
  ...profiles,
  ...identity,
  readOnlyRootFilesystem: flag,
  allowPrivilegeEscalation: flag,
  procMount: refused(undefined, "", "Default"),
});

const exec = object({ command: list(text) });
const httpGet = object({
  path: text,
  port: portRef,
  host: text,
  scheme: text,
  httpHeaders: list(object({ name: text, value: text })),
});
const tcpSocket = object({ port: portRef, host: text });

const lifecycleHandler = object({
  exec,
  httpGet,
  tcpSocket: refused("never was supported as a lifecycle handler; use exec, httpGet or sleep"),
  sleep: object({ seconds: int64 }),
});

const probe = object({
  exec,
  httpGet,
  tcpSocket,
  grpc: object({ port: int32, service: text }),
  initialDelaySeconds: int32,
  timeoutSeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  failureThreshold: int32,
  terminationGracePeriodSeconds: int64,
});

const objectRef = object({ name: text, optional: flag });
const keyRef = object({ name: text, key: text, optional: flag });

/** Values of ConfigMaps and Secrets: allowed where a plugin provides them. */
function values(provided: Provided) {
  const where = (kind: ProvidedKind, shape: Shape): Shape => (provided.has(kind) ? shape : refused(NEEDS_API_SERVER));
  return {
    source: object({
      fieldRef: object({ apiVersion: text, fieldPath: text }),
      resourceFieldRef: object({ containerName: text, resource: text, divisor: quantity }),
      configMapKeyRef: where("configMapKeyRef", keyRef),
      secretKeyRef: where("secretKeyRef", keyRef),
      fileKeyRef: refused(),
    }),
    from:
      provided.has("configMapKeyRef") || provided.has("secretKeyRef")
        ? list(
            object({
              prefix: text,
              configMapRef: where("configMapKeyRef", objectRef),
              secretRef: where("secretKeyRef", objectRef),
            }),
          )
        : refused(NEEDS_API_SERVER),
  };
}

const volumeMount = object({
  name: text,
  readOnly: flag,
  recursiveReadOnly: text,
  mountPath: text,
  subPath: text,
  mountPropagation: text,
  subPathExpr: text,
});

export function container(provided: Provided): Shape {
  const { source, from } = values(provided);
  return object({
    name: text,
    image: text,
    command: list(text),
    args: list(text),
    workingDir: text,
    ports: list(object({ name: text, hostPort: int32, containerPort: int32, protocol: text, hostIP: text })),
    envFrom: from,
    env: list(object({ name: text, value: text, valueFrom: source })),
    resources,
    resizePolicy,
    restartPolicy: text,
    restartPolicyRules: list(object({ action: text, exitCodes: object({ operator: text, values: list(int32) }) })),
    volumeMounts: list(volumeMount),
    volumeDevices: refused(NEEDS_API_SERVER),
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
    lifecycle: object({ postStart: lifecycleHandler, preStop: lifecycleHandler, stopSignal: refused() }),
    terminationMessagePath: text,
    terminationMessagePolicy: text,
    imagePullPolicy: text,
    securityContext,
    stdin: flag,
    stdinOnce: flag,
    tty: flag,
  });
}
