import { expect, test } from "@jest/globals";
import { aContainer, aPod, messagesOf } from "../../pods.js";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const C = "spec.containers[0]";

test.each<[string, object, string[]]>([
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
    "an image with a space",
    aContainer({ image: "a " }),
    [`${C}.image: Invalid value: "a ": must not have leading or trailing whitespace`],
  ],
  [
    "a word that no kernel takes",
    aContainer({ args: ["a".repeat(128 * 1024)] }),
    [
      `${C}: Forbidden: word 1 of command and args has 131072 bytes: the kernel takes at most 131071 of one; put what is long into a ConfigMap or a file instead`,
    ],
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
            { name: "v", mountPath: "/e", recursiveReadOnly: "Enabled" },
            { name: "v", mountPath: "/f", readOnly: true, recursiveReadOnly: "Sometimes" },
            {
              name: "v",
              mountPath: "/g",
              readOnly: true,
              recursiveReadOnly: "IfPossible",
              mountPropagation: "HostToContainer",
            },
            { name: "v", mountPath: "/h", readOnly: true, recursiveReadOnly: "Enabled" },
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
      `${C}.volumeMounts[4].recursiveReadOnly: Forbidden: may only be specified when readOnly is true`,
      `${C}.volumeMounts[5].recursiveReadOnly: Unsupported value: "Sometimes": supported values: "Disabled", "Enabled", "IfPossible"`,
      `${C}.volumeMounts[6].recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified`,
      `${C}.volumeMounts[8].name: Required value`,
      `${C}.volumeMounts[8].mountPath: Required value`,
    ],
  ],
  [
    "sub paths",
    aPod({
      volumes: [{ name: "v" }],
      containers: [
        {
          name: "c",
          image: "i",
          volumeMounts: [
            { name: "v", mountPath: "/a", subPath: "fine/../../etc" },
            { name: "v", mountPath: "/b", subPath: "/etc" },
            { name: "v", mountPath: "/c", subPath: "a", subPathExpr: "$(A)" },
            { name: "v", mountPath: "/d", subPathExpr: "/$(A)/.." },
            { name: "v", mountPath: "/e", subPath: "..fine/a..b" },
          ],
        },
      ],
    }),
    [
      `${C}.volumeMounts[0].subPath: Invalid value: "fine/../../etc": must not contain '..'`,
      `${C}.volumeMounts[1].subPath: Invalid value: "/etc": must be a relative path`,
      `${C}.volumeMounts[2].subPathExpr: Invalid value: "$(A)": subPathExpr and subPath are mutually exclusive`,
      `${C}.volumeMounts[3].subPathExpr: Invalid value: "/$(A)/..": must be a relative path`,
      `${C}.volumeMounts[3].subPathExpr: Invalid value: "/$(A)/..": must not contain '..'`,
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
    "probes",
    aContainer({
      livenessProbe: {
        httpGet: {
          port: "No_Port",
          scheme: "FTP",
          httpHeaders: [{ name: "a b" }, { name: "X-A", value: "1\r\nX-B: 2" }],
        },
        successThreshold: 2,
      },
      readinessProbe: { tcpSocket: { port: 0 }, periodSeconds: -1, terminationGracePeriodSeconds: 1 },
      startupProbe: { exec: {}, grpc: { port: 1 }, terminationGracePeriodSeconds: 0 },
    }),
    [
      `${C}.livenessProbe.httpGet.port: Invalid value: "No_Port": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${C}.livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
      `${C}.livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`,
      `${C}.livenessProbe.httpGet.httpHeaders: Invalid value: "1\\r\\nX-B: 2": a header value must not contain control characters`,
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
    "probes and handlers without their port, or in order",
    aContainer({
      livenessProbe: { tcpSocket: {} },
      readinessProbe: { grpc: {}, successThreshold: 2 },
      startupProbe: { grpc: { port: 65_535 }, initialDelaySeconds: 0, terminationGracePeriodSeconds: 1 },
      lifecycle: { postStart: { sleep: { seconds: 0 } }, preStop: { sleep: { seconds: 30 } } },
    }),
    [`${C}.livenessProbe.tcpSocket.port: Required value`, `${C}.readinessProbe.grpc.port: Required value`],
  ],
  [
    "numbers of probes below zero",
    aContainer({
      livenessProbe: {
        tcpSocket: { port: 65_536 },
        initialDelaySeconds: -1,
        timeoutSeconds: -1,
        periodSeconds: -1,
        failureThreshold: -1,
        successThreshold: -1,
      },
      lifecycle: { preStop: { sleep: { seconds: -1 } } },
    }),
    [
      `${C}.lifecycle.preStop.sleep: Invalid value: -1: must be non-negative and less than terminationGracePeriodSeconds (30)`,
      `${C}.livenessProbe.tcpSocket.port: Invalid value: 65536: must be between 1 and 65535, inclusive`,
      ...["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"].map(
        (name) => `${C}.livenessProbe.${name}: Invalid value: -1: must be greater than or equal to 0`,
      ),
      `${C}.livenessProbe.successThreshold: Invalid value: -1: must be 1`,
    ],
  ],
  [
    "a restart rule without a word",
    aContainer({ restartPolicy: "Never", restartPolicyRules: [{ exitCodes: {} }] } as never),
    [
      `${C}.restartPolicyRules[0].action: Required value`,
      `${C}.restartPolicyRules[0].exitCodes.operator: Required value`,
    ],
  ],
  [
    "as many restart rules and exit codes as may be",
    aContainer({
      restartPolicy: "Always",
      restartPolicyRules: Array(20).fill({
        action: "RestartAllContainers",
        exitCodes: { operator: "NotIn", values: Array.from({ length: 255 }, (_, code) => code + 1) },
      }),
    } as never),
    [],
  ],
  [
    "what only long-running containers have, on an init container",
    aPod({
      initContainers: [
        { name: "i", image: "i", lifecycle: {}, readinessProbe: { exec: { command: ["a"] } }, restartPolicy: "Now" },
      ],
    }),
    [
      'spec.initContainers[0].restartPolicy: Unsupported value: "Now": supported values: "Always", "Never", "OnFailure"',
      "spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always",
      "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
  ],
  [
    "restart rules without a policy, of no known kind, for no exit codes",
    aContainer({
      restartPolicyRules: [
        { action: "Reboot", exitCodes: { operator: "Like", values: Array(256).fill(1) } },
        { action: "Restart" },
      ],
    } as never),
    [
      `${C}.restartPolicy: Required value: must specify restartPolicy when restart rules are used`,
      `${C}.restartPolicyRules[0].action: Unsupported value: "Reboot": supported values: "Restart", "RestartAllContainers"`,
      `${C}.restartPolicyRules[0].exitCodes.operator: Unsupported value: "Like": supported values: "In", "NotIn"`,
      `${C}.restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items`,
      `${C}.restartPolicyRules[1].exitCodes: Required value: must be specified`,
    ],
  ],
  [
    "too many restart rules",
    aContainer({
      restartPolicy: "Never",
      restartPolicyRules: Array(21).fill({ action: "Restart", exitCodes: { operator: "In", values: [1] } }),
    } as never),
    [`${C}.restartPolicyRules: Too many: 21: must have at most 20 items`],
  ],
])("%s: all faults at once, in the API server's words", async (_name, manifest, expected) => {
  expect(await messagesOf(manifest)).toEqual(expected);
});
