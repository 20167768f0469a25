import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { accountOf } from "../../../src/admission/account.js";
import { type AdmitOptions, admitPod } from "../../../src/admission/admit.js";
import { predicateFailed, reportedRejection } from "../../../src/admission/reasons.js";
import type { NodeFacts } from "../../../src/plugin/contract/node.js";
import { aContainer, aNode, aPod, asking } from "./pods.js";

const admit = (pod: Pod, others: Pod[] = [], node: NodeFacts | undefined = aNode(), options: AdmitOptions = {}) =>
  admitPod(pod, node, accountOf(others), options);
const reasons = (...args: Parameters<typeof admit>) => admit(...args).map(({ reason }) => reason);

// The manifests and texts of a real kubelet 1.33: 2 CPUs, one running pod asks for 1500m.
describe("a kubelet's own rejections, verbatim", () => {
  const running = [asking({ cpu: "1500m" })];

  test("nodeSelector that does not match", () => {
    expect(admit(aPod({ nodeSelector: { disk: "ssd" } }), running)).toEqual([
      {
        reason: "NodeAffinity",
        message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
      },
    ]);
  });

  test("spec.os.name windows", () => {
    expect(admit(aPod({ os: { name: "windows" } }), running)).toEqual([
      { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" },
    ]);
  });

  test.each([{ name: "1 CPU", cpu: "1", requested: 1000 }])(
    "$name, where nothing is preempted",
    ({ cpu, requested }) => {
      expect(admit(asking({ cpu }), running)).toEqual([
        {
          reason: "OutOfcpu",
          message: `Node didn't have enough resource: cpu, requested: ${requested}, used: 1500, capacity: 2000`,
          shortfall: { resource: "cpu", requested, used: 1500, capacity: 2000 },
        },
      ]);
    },
  );
});

describe("admission", () => {
  test("what just fits is admitted", () => {
    expect(admit(asking({ cpu: "500m", memory: "4Gi" }), [asking({ cpu: "1500m" })])).toEqual([]);
  });

  test("without a node nothing is admitted", () => {
    expect(admitPod(aPod(), undefined, accountOf([]))).toEqual([
      { reason: "InvalidNodeInfo", message: "Kubelet cannot get node info." },
    ]);
  });

  test("all reasons are given, in the kubelet's order", () => {
    const port = [{ containerPort: 80, hostPort: 80 }];
    const other = aPod({ containers: [aContainer({ memory: "1Gi" }, { ports: port })] });
    const everything = {
      "vendor.example/b": "1",
      "vendor.example/a": "1",
      "ephemeral-storage": "1Ti",
      memory: "1Ti",
      cpu: "9",
    };
    const pod = aPod({
      containers: [aContainer(everything, { ports: port })],
      nodeSelector: { disk: "ssd" },
      nodeName: "node2",
    });
    const node = aNode({
      allocatable: {
        cpu: 2000,
        memory: 2 ** 30,
        "ephemeral-storage": 0,
        pods: 1,
        "vendor.example/a": 0,
        "vendor.example/b": 0,
      },
      taints: [{ key: "x", effect: "NoExecute" }],
    });
    expect(reasons(pod, [other], node)).toEqual([
      "OutOfpods",
      "OutOfcpu",
      "OutOfmemory",
      "OutOfephemeral-storage",
      "OutOfvendor.example/a",
      "OutOfvendor.example/b",
      "NodeAffinity",
      "NodeName",
      "NodePorts",
      "TaintToleration",
    ]);
  });

  test("a pod that asks for nothing of a resource is not refused for it, even on an over-committed node", () => {
    expect(reasons(asking({ memory: "1Mi" }), [asking({ cpu: "9" })])).toEqual([]);
  });

  test("the pod's own OS label speaks before everything else, and alone", () => {
    const pod = aPod({ os: { name: "windows" }, nodeName: "node2" }, { labels: { "kubernetes.io/os": "windows" } });
    expect(admit(pod)).toEqual([
      {
        reason: "PodOSSelectorNodeLabelDoesNotMatch",
        message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
      },
    ]);
  });

  test("a pod for this node, and for this system, by name, is admitted", () => {
    const pod = aPod({ nodeName: "node1", os: { name: "linux" } }, { labels: { "kubernetes.io/os": "linux" } });
    expect(reasons(pod)).toEqual([]);
    expect(reasons(aPod({ nodeName: "node2" }))).toEqual(["NodeName"]);
  });

  test("admission corrects a wrong OS label of the node before it matches labels", () => {
    const node = aNode({ labels: { "kubernetes.io/os": "plan9" } });
    expect(reasons(aPod({ nodeSelector: { "kubernetes.io/os": "linux" } }), [], node)).toEqual([]);
  });

  test("a node takes as many pods as it declares, and none where it declares none", () => {
    const node = aNode({ allocatable: { cpu: 2000, pods: 2 } });
    expect(reasons(aPod(), [aPod()], node)).toEqual([]);
    expect(reasons(aPod(), [aPod(), aPod()], node)).toEqual(["OutOfpods"]);
    expect(reasons(aPod(), [], aNode({ allocatable: {} }))).toEqual(["OutOfpods"]);
  });

  test("resources that a node does not account for are ignored", () => {
    expect(reasons(asking({ storage: "1Ei", unknown: "5" }))).toEqual([]);
  });

  test("volumes that can be attached, and resources of Kubernetes' own names, are accounted for", () => {
    expect(reasons(asking({ "attachable-volumes-x": "1", "a.kubernetes.io/b": "1" }))).toEqual([
      "OutOfa.kubernetes.io/b",
      "OutOfattachable-volumes-x",
    ]);
  });

  test("strict supplemental groups need a node that knows them", () => {
    const pod = aPod({ securityContext: { supplementalGroupsPolicy: "Strict" } } as unknown as Pod["spec"]);
    expect(admit(pod)).toEqual([
      {
        reason: "SupplementalGroupsPolicyNotSupported",
        message: "SupplementalGroupsPolicy=Strict is not supported in this node",
      },
    ]);
    expect(reasons(pod, [], aNode({ features: { supplementalGroupsPolicy: true } }))).toEqual([]);
  });

  test("an extended resource that the node does not know is passed over, one that it has none of is not", () => {
    const pod = asking({ "vendor.example/gpu": "1" });
    expect(reasons(pod)).toEqual([]);
    const node = aNode({ allocatable: { ...aNode().allocatable, "vendor.example/gpu": 0 } });
    expect(reasons(pod, [], node)).toEqual(["OutOfvendor.example/gpu"]);
  });

  test("missingExtendedResources reject refuses the pod instead", () => {
    const refused = admit(asking({ "vendor.example/gpu": "1" }), [], aNode(), { missingExtendedResources: "reject" });
    expect(refused.map(({ message }) => message)).toEqual([
      "Node didn't have enough resource: vendor.example/gpu, requested: 1, used: 0, capacity: 0",
    ]);
  });

  test("huge pages are never passed over", () => {
    expect(reasons(asking({ "hugepages-2Mi": "2Mi" }))).toEqual(["OutOfhugepages-2Mi"]);
  });
});

describe("words of rejections", () => {
  test("the first rejection is reported; a verdict without any is unexpected", () => {
    const first = predicateFailed("NodePorts");
    expect(reportedRejection([first, predicateFailed("NodeName")])).toBe(first);
    expect(reportedRejection([])).toEqual({
      reason: "UnknownReason",
      message: "GeneralPredicates failed due to unknown reason, which is unexpected.",
    });
  });
});
