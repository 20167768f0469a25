import { expect, test } from "@jest/globals";
import { aContainer, aPod, messagesOf } from "./pods.js";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const C = "spec.containers[0]";

test.each<[string, object, string[]]>([
  ["a pod without a name", aPod({}, { name: undefined }), ["metadata.name: Required value"]],
  [
    "a name that is no subdomain",
    aPod({}, { name: "Web" }),
    [
      `metadata.name: Invalid value: "Web-node1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${LABEL}(\\.${LABEL})*')`,
    ],
  ],
  [
    "a name that is too long with the node's",
    aPod({}, { name: "a".repeat(250) }),
    [
      expect.stringMatching(
        /^metadata.name: Invalid value: "a{199}\.\.\.: must be no more than 253 bytes$/,
      ) as unknown as string,
    ],
  ],
  [
    "a uid that would lead out of a folder",
    aPod({}, { uid: "../../etc" }),
    [`metadata.uid: Invalid value: "../../etc": must consist of at most 64 letters, digits and '-'`],
  ],
  [
    "label keys and values",
    aPod({}, { labels: { "a b": "ok", "Example.com/x": "ok", a: "-" } }),
    [
      `metadata.labels: Invalid value: "Example.com/x": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${LABEL}(\\.${LABEL})*')`,
      `metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${QUALIFIED})?')`,
      `metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`,
    ],
  ],
  [
    "annotations above 256 KiB",
    aPod({}, { annotations: { a: "x".repeat(262_144) } }),
    ["metadata.annotations: Too long: may not be more than 262144 bytes"],
  ],
  [
    "a mirror pod",
    aPod({}, { annotations: { "kubernetes.io/config.mirror": "x" } }),
    [
      "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: it marks the API server's copy of a static pod, never a pod to run",
    ],
  ],
  ["no spec", { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }, ["spec.containers: Required value"]],
  [
    "a container without name and image",
    aPod({ containers: [{}] }),
    [`${C}.name: Required value`, `${C}.image: Required value`],
  ],
  [
    "a container name with dots",
    aPod({ containers: [{ name: "a.b", image: "i" }] }),
    [`${C}.name: Invalid value: "a.b": must not contain dots`],
  ],
  [
    "a container name with capitals",
    aPod({ containers: [{ name: "A", image: "i" }] }),
    [
      `${C}.name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
    ],
  ],
  [
    "containers of one name, init containers among them",
    aPod({
      containers: [
        { name: "a", image: "i" },
        { name: "a", image: "i" },
      ],
      initContainers: [{ name: "a", image: "i" }],
    }),
    ['spec.containers[1].name: Duplicate value: "a"', 'spec.initContainers[0].name: Duplicate value: "a"'],
  ],
  [
    "an image with a space",
    aContainer({ image: "a " }),
    [`${C}.image: Invalid value: "a ": must not have leading or trailing whitespace`],
  ],
  [
    "ports",
    aContainer({
      ports: [
        { name: "http" },
        { containerPort: 65_536, name: "http" },
        { containerPort: 1, protocol: "X", hostIP: "here", name: "-A" },
      ],
    }),
    [
      `${C}.ports[0].containerPort: Required value`,
      `${C}.ports[1].name: Duplicate value: "http"`,
      `${C}.ports[1].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
      `${C}.ports[2].name: Invalid value: "-A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${C}.ports[2].name: Invalid value: "-A": must contain at least one letter (a-z)`,
      `${C}.ports[2].name: Invalid value: "-A": must not begin or end with a hyphen`,
      `${C}.ports[2].hostIP: Invalid value: "here": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
      `${C}.ports[2].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"`,
    ],
  ],
  [
    "one host port twice",
    aContainer({
      ports: [
        { containerPort: 1, hostPort: 80 },
        { containerPort: 2, hostPort: 80 },
      ],
    }),
    [`${C}.ports[1].hostPort: Duplicate value: "TCP//80"`],
  ],
  [
    "another host port on the host network",
    aPod({ hostNetwork: true, containers: [{ name: "c", image: "i", ports: [{ containerPort: 1, hostPort: 80 }] }] }),
    [`${C}.ports[0].hostPort: Invalid value: 80: must match \`containerPort\` when \`hostNetwork\` is true`],
  ],
  [
    "env",
    aContainer({
      env: [
        { value: "x" },
        { name: "A=B" },
        { name: "C", valueFrom: {} },
        { name: "D", value: "x", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
        { name: "E", valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } },
        { name: "F", valueFrom: { resourceFieldRef: { resource: "limits.gpu", containerName: "x" } } },
        { name: "G", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1k" } } },
      ],
    }),
    [
      `${C}.env[0].name: Required value`,
      `${C}.env[1].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '='`,
      `${C}.env[2].valueFrom: Required value: must specify one of: \`fieldRef\` or \`resourceFieldRef\``,
      `${C}.env[3].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
      `${C}.env[4].valueFrom.fieldRef: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`,
      `${C}.env[5].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"`,
      `${C}.env[5].valueFrom.resourceFieldRef.containerName: Not found: "x"`,
      `${C}.env[6].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
    ],
  ],
  [
    "volumes",
    aPod({
      volumes: [
        { emptyDir: {} },
        { name: "a" },
        { name: "a", hostPath: { path: "/a/../b", type: "Dir" } },
        { name: "b", emptyDir: { sizeLimit: "-1" }, hostPath: { path: "b" } },
      ],
    }),
    [
      "spec.volumes[0].name: Required value",
      'spec.volumes[2].name: Duplicate value: "a"',
      `spec.volumes[2].hostPath.path: Invalid value: "/a/../b": must not contain '..'`,
      'spec.volumes[2].hostPath.type: Unsupported value: "Dir": supported values: "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      "spec.volumes[3].hostPath: Forbidden: may not specify more than 1 volume type",
      "spec.volumes[3].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity",
      'spec.volumes[3].hostPath.path: Invalid value: "b": must be an absolute path',
    ],
  ],
  [
    "mounts",
    aPod({
      volumes: [{ name: "v" }],
      containers: [
        {
          name: "c",
          image: "i",
          volumeMounts: [
            { name: "w", mountPath: "/a" },
            { name: "v", mountPath: "/a/" },
            { name: "v", mountPath: "b" },
            { name: "v", mountPath: "/c:d", mountPropagation: "Bidirectional" },
            {},
          ],
        },
      ],
    }),
    [
      `${C}.volumeMounts[0].name: Not found: "w"`,
      `${C}.volumeMounts[1].mountPath: Invalid value: "/a/": must be unique`,
      `${C}.volumeMounts[2].mountPath: Invalid value: "b": must be an absolute path`,
      `${C}.volumeMounts[3].mountPath: Invalid value: "/c:d": must not contain ':'`,
      `${C}.volumeMounts[3].mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
      `${C}.volumeMounts[4].name: Required value`,
      `${C}.volumeMounts[4].mountPath: Required value`,
    ],
  ],
  [
    "resources",
    aContainer({
      resources: {
        limits: { cpu: "1", foo: 1, "a.example/b": 2, "hugepages-2Mi": "3Mi" },
        requests: { cpu: "1500m", memory: "-1", "a.example/b": 1, "a.example/c": "500m" },
      },
    }),
    [
      `${C}.resources.limits[foo]: Invalid value: "foo": must be a standard resource for containers`,
      `${C}.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": must be a multiple of the page size 2Mi`,
      `${C}.resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers`,
      `${C}.resources.requests[hugepages-2Mi]: Invalid value: "3Mi": must be a multiple of the page size 2Mi`,
      `${C}.resources.requests[a.example/c]: Invalid value: "500m": must be an integer`,
      `${C}.resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0`,
      `${C}.resources.requests: Invalid value: "1": must be equal to a.example/b limit of 2`,
      `${C}.resources.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1`,
      `${C}.resources.limits: Required value: Limit must be set for non overcommitable resources`,
    ],
  ],
  [
    "huge pages alone",
    aContainer({ resources: { limits: { "hugepages-2Mi": "2Mi" } } }),
    [`${C}.resources: Forbidden: HugePages require cpu or memory`],
  ],
  [
    "pod-level resources below what the containers ask for",
    aPod({
      resources: { requests: { cpu: "1" }, limits: { "ephemeral-storage": 1 } },
      containers: [{ name: "a", image: "i", resources: { requests: { cpu: 2 } } }],
    }),
    [
      'spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    ],
  ],
  [
    "probes",
    aContainer({
      livenessProbe: {
        httpGet: { port: "No_Port", scheme: "FTP", httpHeaders: [{ name: "a b" }] },
        successThreshold: 2,
      },
      readinessProbe: { tcpSocket: { port: 0 }, periodSeconds: -1, terminationGracePeriodSeconds: 1 },
      startupProbe: { exec: {}, grpc: { port: 1 }, terminationGracePeriodSeconds: 0 },
    }),
    [
      `${C}.livenessProbe.httpGet.port: Invalid value: "No_Port": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${C}.livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
      `${C}.livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`,
      `${C}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
      `${C}.readinessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
      `${C}.readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
      `${C}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes`,
      `${C}.startupProbe.grpc: Forbidden: may not specify more than 1 handler type`,
      `${C}.startupProbe.exec.command: Required value`,
      `${C}.startupProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`,
    ],
  ],
  [
    "lifecycle handlers",
    aContainer({ lifecycle: { postStart: {}, preStop: { sleep: { seconds: 31 } } } }),
    [
      `${C}.lifecycle.postStart: Required value: must specify a handler type`,
      `${C}.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)`,
    ],
  ],
  [
    "what only long-running containers have, on an init container",
    aPod({
      initContainers: [
        { name: "i", image: "i", lifecycle: {}, readinessProbe: { exec: { command: ["a"] } }, restartPolicy: "Never" },
      ],
    }),
    [
      'spec.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always",
      "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
  ],
  [
    "a restart policy on a main container",
    aContainer({ restartPolicy: "Always" }),
    [`${C}.restartPolicy: Forbidden: may not be set for non-init containers`],
  ],
  [
    "closed sets of words",
    aPod({
      restartPolicy: "Once",
      dnsPolicy: "X",
      preemptionPolicy: "X",
      os: { name: "plan9" },
      containers: [{ name: "c", image: "i", imagePullPolicy: "X", terminationMessagePolicy: "X" }],
    }),
    [
      `${C}.terminationMessagePolicy: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"`,
      `${C}.imagePullPolicy: Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never"`,
      'spec.restartPolicy: Unsupported value: "Once": supported values: "Always", "OnFailure", "Never"',
      'spec.dnsPolicy: Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      'spec.preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
      'spec.os.name: Unsupported value: "plan9": supported values: "linux", "windows"',
    ],
  ],
  [
    "times out of range",
    aPod({ terminationGracePeriodSeconds: -1, activeDeadlineSeconds: 0 }),
    [
      "spec.terminationGracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
    ],
  ],
  [
    "security contexts",
    aPod({
      hostPID: true,
      shareProcessNamespace: true,
      hostNetwork: true,
      securityContext: {
        runAsUser: -1,
        supplementalGroups: [4e9],
        sysctls: [{ name: "net.core.somaxconn", value: "1" }, { name: "A!" }],
        seccompProfile: { type: "Localhost", localhostProfile: "../x" },
      },
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: {
            privileged: true,
            allowPrivilegeEscalation: false,
            capabilities: { add: ["SYS_ADMIN", "net admin"] },
          },
        },
      ],
    }),
    [
      `${C}.securityContext.capabilities.add[1]: Invalid value: "net admin": must be a capability, for example NET_ADMIN`,
      `${C}.securityContext.allowPrivilegeEscalation: Invalid value: false: cannot set \`allowPrivilegeEscalation\` to false and \`privileged\` to true`,
      `${C}.securityContext.allowPrivilegeEscalation: Invalid value: false: cannot set \`allowPrivilegeEscalation\` to false and \`capabilities.Add\` CAP_SYS_ADMIN`,
      "spec.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
      "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
      `spec.securityContext.seccompProfile.localhostProfile: Invalid value: "../x": must not contain '..'`,
      "spec.securityContext.supplementalGroups[0]: Invalid value: 4000000000: must be between 0 and 2147483647, inclusive",
      `spec.securityContext.sysctls[0].name: Invalid value: "net.core.somaxconn": may not be specified when 'hostNetwork' is true`,
      'spec.securityContext.sysctls[1].name: Invalid value: "A!": must have at most 253 characters and be a sysctl, for example net.core.somaxconn',
    ],
  ],
  [
    "tolerations",
    aPod({
      tolerations: [
        { value: "x" },
        { key: "a", operator: "Exists", value: "x", effect: "Never", tolerationSeconds: 1 },
        { key: "a", operator: "In" },
      ],
    }),
    [
      'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      `spec.tolerations[1].effect: Invalid value: "Never": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
      "spec.tolerations[1].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
      'spec.tolerations[1].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'spec.tolerations[2].operator: Unsupported value: "In": supported values: "Equal", "Exists"',
    ],
  ],
  [
    "node affinity",
    aPod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [{ key: "a", operator: "In" }],
                matchFields: [{ key: "x", operator: "In", values: ["a"] }],
              },
            ],
          },
        },
      },
    }),
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "x": not a valid field selector key',
    ],
  ],
  [
    "dnsPolicy None alone",
    aPod({ dnsPolicy: "None" }),
    ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
  ],
  [
    "dns and hosts",
    aPod({
      dnsPolicy: "None",
      dnsConfig: { nameservers: [], searches: ["a_b.c", "-"], options: [{}] },
      hostAliases: [{ ip: "x", hostnames: ["A"] }],
    }),
    [
      "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
      expect.stringMatching(
        /^spec.dnsConfig.searches\[1\]: Invalid value: "-": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-'/,
      ) as unknown as string,
      "spec.dnsConfig.options[0]: Required value: must not be empty",
      'spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      expect.stringMatching(/^spec.hostAliases\[0\].hostnames\[0\]: Invalid value: "A"/) as unknown as string,
    ],
  ],
])("%s: all faults at once, in the API server's words", async (_name, manifest, expected) => {
  expect(await messagesOf(manifest)).toEqual(expected);
});

const API = "not supported by hooklet without an API server";

test.each<[string, object, string]>([
  [
    "a configMap volume",
    aPod({ volumes: [{ name: "v", configMap: { name: "x" } }] }),
    `spec.volumes[0].configMap: Forbidden: ${API}`,
  ],
  ["a secret volume", aPod({ volumes: [{ name: "v", secret: {} }] }), `spec.volumes[0].secret: Forbidden: ${API}`],
  [
    "a claim",
    aPod({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] }),
    `spec.volumes[0].persistentVolumeClaim: Forbidden: ${API}`,
  ],
  [
    "an nfs volume",
    aPod({ volumes: [{ name: "v", nfs: { path: "/" } }] }),
    "spec.volumes[0].nfs: Forbidden: not supported by hooklet",
  ],
  [
    "env from a configMap",
    aContainer({ envFrom: [{ configMapRef: { name: "x" } }] }),
    `${C}.envFrom: Forbidden: ${API}`,
  ],
  [
    "env from a secret's key",
    aContainer({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "a", key: "b" } } }] }),
    `${C}.env[0].valueFrom.secretKeyRef: Forbidden: ${API}`,
  ],
  ["a service account", aPod({ serviceAccountName: "robot" }), `spec.serviceAccountName: Forbidden: ${API}`],
  ["pull secrets", aPod({ imagePullSecrets: [{ name: "a" }] }), `spec.imagePullSecrets: Forbidden: ${API}`],
  [
    "an ephemeral container",
    aPod({ ephemeralContainers: [{ name: "a" }] }),
    `spec.ephemeralContainers: Forbidden: ${API}`,
  ],
  ["resource claims", aPod({ resourceClaims: [{ name: "a" }] }), `spec.resourceClaims: Forbidden: ${API}`],
  ["a runtime class", aPod({ runtimeClassName: "kata" }), `spec.runtimeClassName: Forbidden: ${API}`],
  ["a user namespace", aPod({ hostUsers: false }), "spec.hostUsers: Forbidden: not supported by hooklet"],
  [
    "a sub path",
    aPod({
      volumes: [{ name: "v" }],
      containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/a", subPath: "b" }] }],
    }),
    `${C}.volumeMounts[0].subPath: Forbidden: not supported by hooklet; mount the volume as a whole, or use a hostPath of the folder meant`,
  ],
  [
    "a tcpSocket lifecycle handler",
    aContainer({ lifecycle: { preStop: { exec: { command: ["a"] }, tcpSocket: { port: 1 } } } }),
    `${C}.lifecycle.preStop.tcpSocket: Forbidden: never was supported as a lifecycle handler; use exec, httpGet or sleep`,
  ],
  ["finalizers", aPod({}, { finalizers: ["a/b"] }), `metadata.finalizers: Forbidden: ${API}`],
  ["a misspelt field", aPod({ containrs: [] }), 'unknown field "spec.containrs". Did you mean "containers"?'],
  ["a field like nothing known", aPod({ zzzzzz: 1 }), 'unknown field "spec.zzzzzz"'],
  ["a field at the top", { ...aPod(), data: {} }, 'unknown field "data"'],
  [
    "a name of JavaScript's own",
    JSON.parse(JSON.stringify(aPod()).replace('"spec":{', '"spec":{"__proto__":{"a":1},')) as object,
    'unknown field "spec.__proto__"',
  ],
])("%s is refused by its path, never ignored", async (_name, manifest, message) => {
  expect(await messagesOf(manifest)).toEqual([message]);
});

test.each<[string, object]>([
  [
    "what kubectl get prints",
    {
      ...aPod(
        {},
        {
          creationTimestamp: null,
          resourceVersion: "1",
          generation: 1,
          managedFields: [{}],
          selfLink: "/x",
          generateName: "web-",
        },
      ),
      status: { phase: "Running" },
    },
  ],
  ["nulls and empty lists", aPod({ imagePullSecrets: [], ephemeralContainers: null, volumes: null, nodeName: null })],
  ["defaults that are written out", aPod({ serviceAccountName: "default", hostUsers: true, runtimeClassName: "" })],
  [
    "what only a scheduler reads",
    aPod({
      schedulerName: "x",
      priorityClassName: "system-node-critical",
      topologySpreadConstraints: [{ maxSkew: 1 }],
      affinity: { podAffinity: {} },
    }),
  ],
  [
    "a sidecar with probes",
    aPod({
      initContainers: [
        { name: "s", image: "i", restartPolicy: "Always", readinessProbe: { exec: { command: ["a"] } } },
      ],
    }),
  ],
  ["a pod for another system, which the node refuses later", aPod({ os: { name: "windows" } })],
])("%s does no harm", async (_name, manifest) => {
  expect(await messagesOf(manifest)).toEqual([]);
});

test("a value of the wrong type is one fault, not two", async () => {
  expect(await messagesOf(aPod({ containers: [{ name: 5, image: "i", ports: {} }], volumes: "x" }))).toEqual([
    'spec.volumes: Invalid value: "x": must be a list',
    `${C}.name: Invalid value: 5: must be a string (put it in quotes)`,
    `${C}.ports: Invalid value: "": must be a list`,
  ]);
});

test("a flood of faults is cut", async () => {
  const messages = await messagesOf(aContainer({ env: Array(1_000).fill({}) }));
  expect(messages).toHaveLength(101);
  expect(messages.at(-1)).toBe("and 900 more faults");
});
