import { expect, test } from "@jest/globals";
import { anEvent, aPod, NOW } from "../../../../../server/test/samples.js";
import { describePod } from "../../../../src/print/describe/describe-pod.js";

const described = (change: Parameters<typeof aPod>[1], events: ReturnType<typeof anEvent>[] = []): string =>
  describePod(aPod("web", change), events, NOW);

test("a pod of which nothing is known yet", () => {
  const pod = { metadata: { name: "web", namespace: "team", uid: "u" }, spec: { containers: [] } };
  expect(describePod(pod, [], NOW)).toBe(
    `
Name:         web
Namespace:    team
Priority:     0
Node:         <none>
Labels:       <none>
Annotations:  <none>
Status:
IP:
IPs:          <none>
Containers:
Volumes:         <none>
Node-Selectors:  <none>
Tolerations:     <none>
Events:          <none>`.slice(1),
  );
});

test("classes, the account, the host's address, and why it failed", () => {
  const text = described({
    spec: { priorityClassName: "gold", runtimeClassName: "kata", serviceAccountName: "robot" },
    status: { phase: "Failed", hostIP: "1.2.3.4", reason: "Evicted", message: "no room", podIPs: [{ ip: "::1" }, {}] },
  });
  expect(text.slice(0, text.indexOf("Containers:"))).toBe(
    `
Name:                 web
Namespace:            default
Priority:             0
Priority Class Name:  gold
Runtime Class Name:   kata
Service Account:      robot
Node:                 node1/1.2.3.4
Start Time:           Sat, 21 Nov 2026 09:59:00 +0000
Labels:               <none>
Annotations:          <none>
Status:               Failed
Reason:               Evicted
Message:              no room
IP:                   10.0.0.1
IPs:
  IP:  ::1
`.slice(1),
  );
});

test("a pod that is not being deleted has null for the time of it", () => {
  expect(described({ metadata: { deletionTimestamp: null } })).toContain("\nStatus:       Running\n");
  expect(described({ metadata: { deletionTimestamp: "2026-11-21T09:59:55Z" } })).toContain(
    "Status:                    Terminating (lasts 5s)\nTermination Grace Period:  0s\n",
  );
});

test("volumes in kubectl's words", () => {
  const volumes = [
    { name: "a", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
    { name: "b", hostPath: { path: "/b", type: "File" } },
    { name: "c", csi: { driver: "d" } },
    { name: "d", configMap: { name: "conf", optional: true } },
    { name: "e", secret: { secretName: "key" } },
    {
      name: "f",
      downwardAPI: {
        items: [
          { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
          { path: "cpu", resourceFieldRef: { resource: "limits.cpu" } },
        ],
      },
    },
    {
      name: "g",
      projected: {
        sources: [
          { secret: { name: "key", optional: true } },
          { configMap: { name: "conf" } },
          { downwardAPI: {} },
          { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
        ],
      },
    },
    { name: "h", image: { reference: "data:1", pullPolicy: "Always" } },
  ];
  expect(described({ spec: { volumes } })).toContain(`
Volumes:
  a:
    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:     Memory
    SizeLimit:  1Gi
  b:
    Type:          HostPath (bare host directory volume)
    Path:          /b
    HostPathType:  File
  c:
    <unknown>
  d:
    Type:      ConfigMap (a volume populated by a ConfigMap)
    Name:      conf
    Optional:  true
  e:
    Type:        Secret (a volume populated by a Secret)
    SecretName:  key
    Optional:    false
  f:
    Type:   DownwardAPI (a volume populated by information about the pod)
    Items:
      metadata.labels -> labels
      limits.cpu -> cpu
  g:
    Type:                    Projected (a volume that contains injected data from multiple sources)
    SecretName:              key
    Optional:                true
    ConfigMapName:           conf
    Optional:                false
    DownwardAPI:             true
    TokenExpirationSeconds:  600
  h:
    Type:        Image (a container image or OCI artifact)
    Reference:   data:1
    PullPolicy:  Always
`);
});

test.each([
  [{ operator: "Exists" }, "op=Exists"],
  [{ key: "a", operator: "Exists" }, "a op=Exists"],
  [{ effect: "NoExecute", operator: "Exists" }, ":NoExecute op=Exists"],
  [{ key: "a", operator: "Exists", value: "b" }, "a=b"],
  [{ key: "a", value: "b", effect: "NoSchedule" }, "a=b:NoSchedule"],
  [{ key: "a", effect: "NoExecute", tolerationSeconds: 300 }, "a:NoExecute for 5m"],
  [{ key: "a", effect: "NoExecute", tolerationSeconds: 0 }, "a:NoExecute for 0s"],
])("the toleration %j is %s", (toleration, text) => {
  expect(described({ spec: { tolerations: [toleration] } })).toContain(`\nTolerations:     ${text}\n`);
});

test("tolerations are sorted, events are in their order", () => {
  const tolerations = [{ key: "b" }, { key: "a" }];
  const events = [anEvent("web", "B", { message: "two\n", source: {} }), anEvent("web", "A", { type: "Warning" })];
  const text = described({ spec: { tolerations } }, events);
  expect(text.slice(text.indexOf("Tolerations:"))).toBe(
    `
Tolerations:     a
                 b
Events:
  Type     Reason  Age   From     Message
  ----     ------  ----  ----     -------
  Normal   B       30s            two
  Warning  A       30s   kubelet  A of web`.slice(1),
  );
});
