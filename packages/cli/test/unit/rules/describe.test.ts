import { expect, test } from "@jest/globals";
import { anEvent, aPod, NOW } from "../../../../server/test/samples.js";
import { probeText } from "../../../src/print/describe/describe-container.js";
import { describePod } from "../../../src/print/describe/describe-pod.js";

const full = aPod("web-node1", {
  metadata: { labels: { tier: "front", app: "web" }, annotations: { note: "two\nlines" } },
  spec: {
    nodeName: "node1",
    priority: 10,
    nodeSelector: { disk: "ssd" },
    tolerations: [
      { effect: "NoExecute", operator: "Exists" },
      { key: "a", value: "b", effect: "NoSchedule", tolerationSeconds: 30 },
    ],
    initContainers: [{ name: "prep", image: "host" }],
    containers: [
      {
        name: "main",
        image: "web:1",
        command: ["sh", "-c", "one\ntwo"],
        ports: [{ containerPort: 80, protocol: "TCP", name: "http" }],
        resources: { limits: { memory: "1Gi", cpu: "1" }, requests: { cpu: "1" } },
        livenessProbe: { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 5 },
        envFrom: [
          { configMapRef: { name: "colours" } },
          { prefix: "DB_", secretRef: { name: "login", optional: true } },
        ],
        env: [
          { name: "PLAIN", value: "x" },
          { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
        volumeMounts: [{ name: "data", mountPath: "/data", readOnly: true }],
      },
    ],
    volumes: [
      { name: "data", emptyDir: {} },
      { name: "etc", hostPath: { path: "/etc" } },
    ],
  },
  status: {
    qosClass: "Burstable",
    podIPs: [{ ip: "10.0.0.1" }],
    initContainerStatuses: [
      {
        name: "prep",
        ready: true,
        restartCount: 0,
        image: "host",
        imageID: "host",
        state: {
          terminated: {
            exitCode: 0,
            reason: "Completed",
            startedAt: "2026-11-21T09:59:00Z",
            finishedAt: "2026-11-21T09:59:01Z",
          },
        },
      },
    ],
    containerStatuses: [
      {
        name: "main",
        ready: false,
        restartCount: 2,
        image: "web:1",
        imageID: "sha256:a",
        containerID: "process://b",
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } },
        lastState: {
          terminated: {
            exitCode: 1,
            reason: "Error",
            startedAt: "2026-11-21T09:59:02Z",
            finishedAt: "2026-11-21T09:59:03Z",
          },
        },
      },
    ],
  },
});

test("where variables come from, as kubectl has it, with what the pod itself shows of them", () => {
  const pod = aPod("web", {
    spec: {
      containers: [
        {
          name: "main",
          image: "host",
          resources: { requests: { cpu: "250m" }, limits: { memory: "64Mi" } },
          envFrom: [
            { configMapRef: { name: "colours" } },
            { prefix: "DB_", secretRef: { name: "database", optional: true } },
          ],
          env: [
            { name: "LINES", value: "one\ntwo" },
            { name: "SPACE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } } },
            { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "CPU", valueFrom: { resourceFieldRef: { resource: "requests.cpu", divisor: "1m" } } },
            { name: "MOST", valueFrom: { resourceFieldRef: { containerName: "main", resource: "limits.cpu" } } },
            { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
            { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "database", key: "password" } } },
            { name: "COLOUR", valueFrom: { configMapKeyRef: { name: "colours", key: "main", optional: true } } },
          ],
        },
      ],
    },
  });
  const lines = describePod(pod, [], NOW).split("\n");
  const [from, to] = ["Environment Variables from:", "Mounts:"].map((title) =>
    lines.findIndex((line) => line.includes(title)),
  );
  expect(`\n${lines.slice(from, to).join("\n")}\n`).toBe(`
    Environment Variables from:
      colours   ConfigMap                 Optional: false
      database  Secret with prefix 'DB_'  Optional: true
    Environment:
      LINES:     one
                 two
      SPACE:     default (v1:metadata.namespace)
      IP:        10.0.0.1 (v1:status.podIP)
      CPU:       250 (requests.cpu)
      MOST:      node allocatable (limits.cpu)
      MEMORY:    64 (limits.memory)
      PASSWORD:  <set to the key 'password' in secret 'database'>  Optional: false
      COLOUR:    <set to the key 'main' of config map 'colours'>   Optional: true
`);
});

test("a pod is described in kubectl's layout", () => {
  expect(`\n${describePod(full, [anEvent("web-node1", "Pulled", { count: 2 })], NOW)}\n`).toBe(`
Name:         web-node1
Namespace:    default
Priority:     10
Node:         node1/
Start Time:   Sat, 21 Nov 2026 09:59:00 +0000
Labels:       app=web
              tier=front
Annotations:  note: two lines
Status:       Running
IP:           10.0.0.1
IPs:
  IP:  10.0.0.1
Init Containers:
  prep:
    Container ID:
    Image:          host
    Image ID:       host
    Port:           <none>
    Host Port:      <none>
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      Sat, 21 Nov 2026 09:59:00 +0000
      Finished:     Sat, 21 Nov 2026 09:59:01 +0000
    Ready:          True
    Restart Count:  0
    Environment:    <none>
    Mounts:         <none>
Containers:
  main:
    Container ID:  process://b
    Image:         web:1
    Image ID:      sha256:a
    Port:          80/TCP (http)
    Host Port:     0/TCP
    Command:
      sh
      -c
      one
      two
    State:          Waiting
      Reason:       CrashLoopBackOff
      Message:      back-off 10s
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Sat, 21 Nov 2026 09:59:02 +0000
      Finished:     Sat, 21 Nov 2026 09:59:03 +0000
    Ready:          False
    Restart Count:  2
    Limits:
      cpu:     1
      memory:  1Gi
    Requests:
      cpu:     1
    Liveness:  http-get http://:8080/healthz delay=0s timeout=1s period=5s #success=1 #failure=3
    Environment Variables from:
      colours  ConfigMap                 Optional: false
      login    Secret with prefix 'DB_'  Optional: true
    Environment:
      PLAIN:  x
      NAME:   web-node1 (v1:metadata.name)
    Mounts:
      /data from data (ro)
Conditions:
  Type   Status
  Ready  True
Volumes:
  data:
    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:
    SizeLimit:  <unset>
  etc:
    Type:          HostPath (bare host directory volume)
    Path:          /etc
    HostPathType:
QoS Class:         Burstable
Node-Selectors:    disk=ssd
Tolerations:       :NoExecute op=Exists
                   a=b:NoSchedule for 30s
Events:
  Type    Reason  Age                From     Message
  ----    ------  ----               ----     -------
  Normal  Pulled  30s (x2 over 30s)  kubelet  Pulled of web-node1
`);
});

test("a pod being deleted says how long ago and with which grace period", () => {
  const metadata = { deletionTimestamp: "2026-11-21T09:59:55Z", deletionGracePeriodSeconds: 30 };
  const text = describePod(aPod("web", { metadata }), [], NOW);
  expect(text).toMatch(/Status: +Terminating \(lasts 5s\)\nTermination Grace Period: +30s/);
  expect(text).toMatch(/Events: +<none>$/);
});

test.each([
  [{ exec: { command: ["cat", "/x"] } }, "exec [cat /x]"],
  [{ tcpSocket: { port: 1 } }, "tcp-socket :1"],
  [{ grpc: { port: 1, service: "s" } }, "grpc <pod>:1 s"],
  [{ httpGet: { port: "web", path: "x", scheme: "HTTPS", host: "h" } }, "http-get https://h:web/x"],
])("probe %j", (probe, text) => {
  expect(probeText(probe)).toBe(`${text} delay=0s timeout=1s period=10s #success=1 #failure=3`);
});
