import type { Container } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import { aPod } from "../../../../../server/test/samples.js";
import { elasticColumns } from "../../../../src/print/columns.js";
import { describeContainers, probeText } from "../../../../src/print/describe/describe-container.js";
import { DescribeWriter } from "../../../../src/print/describe/writer.js";

/** Without the first two lines, which are the title and the name. */
function described(container: object, status?: object, pod: Parameters<typeof aPod>[1] = {}): string {
  const out = new DescribeWriter();
  const statuses = status === undefined ? [] : [{ name: "main", restartCount: 0, imageID: "", ...status }];
  describeContainers(
    out,
    "Containers",
    aPod("web", pod),
    [{ name: "main", ...container } as Container],
    statuses as ContainerStatus[],
  );
  const [title, name, ...lines] = elasticColumns(out.toString()).split("\n");
  expect([title, name]).toEqual(["Containers:", "  main:"]);
  return lines.join("\n");
}

test("a container of which nothing is known yet", () => {
  expect(described({})).toBe(
    `
    Image:
    Port:         <none>
    Host Port:    <none>
    Environment:  <none>
    Mounts:       <none>`.slice(1),
  );
});

test("a container with all that there may be", () => {
  const probe = { exec: { command: ["a"] } };
  const text = described({
    image: "web:1",
    ports: [
      { containerPort: 80, name: "http" },
      { containerPort: 53, protocol: "UDP", hostPort: 5353 },
    ],
    args: ["-v", "a\nb"],
    readinessProbe: probe,
    startupProbe: probe,
    resources: { requests: { memory: "1Gi" }, limits: {} },
    volumeMounts: [
      { name: "v", mountPath: "/b", subPath: "x" },
      { name: "v", mountPath: "/a", readOnly: true, subPath: "y" },
    ],
    volumeDevices: [{ name: "d", devicePath: "/dev/x" }],
  });
  expect(text).toBe(
    `
    Image:       web:1
    Ports:       80/TCP (http), 53/UDP
    Host Ports:  0/TCP, 5353/UDP
    Args:
      -v
      a
      b
    Requests:
      memory:     1Gi
    Readiness:    exec [a] delay=0s timeout=1s period=10s #success=1 #failure=3
    Startup:      exec [a] delay=0s timeout=1s period=10s #success=1 #failure=3
    Environment:  <none>
    Mounts:
      /a from v (ro,path="y")
      /b from v (rw,path="x")
      /dev/x from d`.slice(1),
  );
});

test.each<[string, object, string]>([
  [
    "running",
    { ready: true, state: { running: { startedAt: "2026-01-05T01:02:03Z" } } },
    `Running
      Started:      Mon, 05 Jan 2026 01:02:03 +0000
    Ready:          True`,
  ],
  [
    "waiting without a reason",
    { ready: false, state: {} },
    `Waiting
    Ready:          False`,
  ],
  [
    "ended by a signal",
    { ready: false, state: { terminated: { exitCode: 137, signal: 9, message: "bye" } } },
    `Terminated
      Message:      bye
      Exit Code:    137
      Signal:       9
    Ready:          False`,
  ],
  [
    "without a state",
    { ready: false, lastState: { waiting: {} } },
    `Waiting
    Ready:          False`,
  ],
])("a container that is %s", (_name, status, expected) => {
  expect(described({}, status)).toContain(`
    State:          ${expected}
    Restart Count:  0
`);
});

test("where a variable's value comes from", () => {
  const env = [
    ...[
      "metadata.name",
      "metadata.namespace",
      "metadata.uid",
      "spec.nodeName",
      "spec.serviceAccountName",
      "status.hostIP",
      "status.podIP",
      "metadata.labels['a']",
    ].map((fieldPath) => ({ name: "F", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath } } })),
    { name: "R", valueFrom: { resourceFieldRef: { resource: "limits.ephemeral-storage" } } },
    { name: "R", valueFrom: { resourceFieldRef: { resource: "limits.memory" } } },
    { name: "S", valueFrom: { secretKeyRef: { key: "k", optional: true } } },
    { name: "C", valueFrom: { configMapKeyRef: { key: "k" } } },
    { name: "N", valueFrom: {} },
    { name: "E" },
  ];
  const pod = { spec: { nodeName: "n", serviceAccountName: "s" }, status: { hostIP: "1.2.3.4" } };
  expect(described({ env, envFrom: [{}] }, undefined, pod)).toContain(`
    Environment Variables from:
        Secret  Optional: false
    Environment:
      F:     web (v2:metadata.name)
      F:     default (v2:metadata.namespace)
      F:     uid-web (v2:metadata.uid)
      F:     n (v2:spec.nodeName)
      F:     s (v2:spec.serviceAccountName)
      F:     1.2.3.4 (v2:status.hostIP)
      F:     10.0.0.1 (v2:status.podIP)
      F:      (v2:metadata.labels['a'])
      R:     0 (limits.ephemeral-storage)
      R:     node allocatable (limits.memory)
      S:     <set to the key 'k' in secret ''>      Optional: true
      C:     <set to the key 'k' of config map ''>  Optional: false
      N:
      E:
    Mounts:  <none>`);
});

test.each([
  [{ exec: {} }, "exec []"],
  [{ httpGet: { port: 80 } }, "http-get http://:80/"],
  [{ httpGet: { port: 80, path: "/a" } }, "http-get http://:80/a"],
  [{ tcpSocket: { port: "web", host: "h" } }, "tcp-socket h:web"],
  [{ grpc: { port: 1 } }, "grpc <pod>:1 "],
  [{}, "unknown"],
])("a probe %j, in its own rhythm", (handler, text) => {
  const rhythm = {
    initialDelaySeconds: 1,
    timeoutSeconds: 2,
    periodSeconds: 3,
    successThreshold: 4,
    failureThreshold: 5,
  };
  expect(probeText({ ...handler, ...rhythm })).toBe(`${text} delay=1s timeout=2s period=3s #success=4 #failure=5`);
});
