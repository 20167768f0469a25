import { expect, test } from "@jest/globals";
import { aPod, messagesOf } from "../pods.js";

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
