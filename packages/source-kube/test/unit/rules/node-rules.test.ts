/** Rules of the Node in the API and its lease, without any cluster. */
import { describe, expect, test } from "@jest/globals";
import {
  agentOf,
  freshLease,
  markedLease,
  microTime,
  renewedLease,
  renewTimeOf,
} from "../../../src/node/node-lease.js";
import { mayWrite, writableLabels } from "../../../src/node/node-mirror.js";
import { newNode, nodePatch } from "../../../src/node/node-object.js";
import { systemInfo } from "../../../src/node/node-status.js";

describe("labels that a node may set on itself", () => {
  test.each([
    { label: "disk", may: true, why: "a name without a prefix has no owner" },
    { label: "k8s.io", may: true, why: "a name without a prefix, whatever it looks like" },
    { label: "example.com/rack", may: true, why: "the prefix of another owner" },
    { label: "mykubernetes.io/x", may: true, why: "a prefix that only ends alike" },
    { label: "kubernetes.io.example.com/x", may: true, why: "a prefix that only begins alike" },
    { label: "kubernetes.io/hostname", may: true, why: "what a kubelet sets" },
    { label: "topology.kubernetes.io/zone", may: true, why: "what a kubelet sets" },
    { label: "kubernetes.io/role", may: false, why: "another one of Kubernetes" },
    { label: "node-role.kubernetes.io/master", may: false, why: "another one of Kubernetes" },
    { label: "k8s.io/x", may: false, why: "Kubernetes' other name" },
    { label: "a.b.k8s.io/x", may: false, why: "below Kubernetes' other name" },
    { label: "node.kubernetes.io/x", may: true, why: "a prefix that is the kubelet's own" },
    { label: "kubelet.kubernetes.io/x", may: true, why: "a prefix that is the kubelet's own" },
    { label: "gpu.node.kubernetes.io/x", may: true, why: "below a prefix of its own" },
    { label: "xnode.kubernetes.io/x", may: false, why: "no prefix of its own" },
    { label: "node-restriction.kubernetes.io/x", may: false, why: "kept from nodes" },
    { label: "a.node-restriction.kubernetes.io/x", may: false, why: "below what is kept from nodes" },
  ])("$label: $may, $why", ({ label, may }) => {
    expect(mayWrite(label)).toBe(may);
  });

  test("are what is sent; the others are left out, so that the request is not refused whole", () => {
    expect(writableLabels({ disk: "ssd", "kubernetes.io/role": "x", "kubernetes.io/os": "linux" })).toEqual({
      disk: "ssd",
      "kubernetes.io/os": "linux",
    });
  });
});

describe("a node that registers", () => {
  const plain = { name: "n", labels: { a: "b" }, taints: [], providerID: undefined, status: { images: [] } as never };

  test("brings its labels, its status and the mark of the volume controller", () => {
    expect(newNode(plain)).toEqual({
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: "n",
        labels: { a: "b" },
        annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
      },
      spec: {},
      status: { images: [] },
    });
  });

  test("brings taints and the provider's name for it where it has some", () => {
    const taint = { key: "k", value: "v", effect: "NoSchedule" } as const;
    expect(newNode({ ...plain, taints: [taint as never], providerID: "cloud://1" }).spec).toEqual({
      providerID: "cloud://1",
      taints: [taint],
    });
  });
});

describe("a node that is there already", () => {
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
  const inApi = { metadata: { labels: { a: "b", other: "x" }, annotations }, spec: {} };

  test.each<{ name: string; found: () => object | undefined; expected: object | undefined }>([
    { name: "lacks nothing", found: () => nodePatch(inApi, { a: "b" }, undefined), expected: undefined },
    {
      name: "has a provider's name already, which stays",
      found: () => nodePatch({ ...inApi, spec: { providerID: "cloud://1" } }, { a: "b" }, "cloud://2"),
      expected: undefined,
    },
    {
      name: "lacks a label, or has another value of it",
      found: () => nodePatch(inApi, { a: "c", z: "1", other: "x" }, undefined),
      expected: { metadata: { labels: { a: "c", z: "1" } } },
    },
    {
      name: "lacks the mark",
      found: () => nodePatch({ ...inApi, metadata: { labels: { a: "b" } } }, { a: "b" }, undefined),
      expected: { metadata: { annotations } },
    },
    {
      name: "has another mark",
      found: () => nodePatch({ metadata: { labels: {}, annotations: { ...annotations, x: "y" } } }, {}, undefined),
      expected: undefined,
    },
    {
      name: "lacks the provider's name",
      found: () => nodePatch(inApi, { a: "b" }, "cloud://1"),
      expected: { metadata: {}, spec: { providerID: "cloud://1" } },
    },
    {
      name: "lacks everything",
      found: () => nodePatch({}, { a: "b" }, "cloud://1"),
      expected: { metadata: { labels: { a: "b" }, annotations }, spec: { providerID: "cloud://1" } },
    },
  ])("$name", ({ found, expected }) => {
    expect(found()).toEqual(expected);
  });
});

describe("the machine facts of a node", () => {
  const machine = { operatingSystem: "linux", architecture: "amd64" } as never;
  const runtime = { runtimeName: "containerd", runtimeVersion: "v2.1.4" };
  const of = (meminfo: string) => systemInfo(machine, meminfo, runtime, "v1.36.3");

  test("names the runtime, and the kubelet whose behaviour it has", () => {
    expect(of("")).toEqual({
      operatingSystem: "linux",
      architecture: "amd64",
      containerRuntimeVersion: "containerd://2.1.4",
      kubeletVersion: "v1.36.3",
      kubeProxyVersion: "",
    });
  });

  test("has its swap, where there is some", () => {
    expect(of("SwapTotal:  8 kB\n").swap).toEqual({ capacity: 8192 });
    expect(of("SwapTotal:  0 kB\n")).not.toHaveProperty("swap");
  });
});

describe("the node's lease", () => {
  const now = Date.parse("2026-01-01T00:00:00.120Z");
  const facts = (uid?: string) => ({
    nodeName: "n",
    agentId: "me",
    nodeLeaseDurationSeconds: 40,
    nodeUid: () => uid,
  });

  test("is made with its duration, its holder, and the agent that renews it", () => {
    expect(freshLease(facts("u"), now)).toEqual({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {
        name: "n",
        namespace: "kube-node-lease",
        annotations: { "hooklet.dev/agent": "me" },
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u" }],
      },
      spec: { holderIdentity: "n", leaseDurationSeconds: 40, renewTime: "2026-01-01T00:00:00.120000Z" },
    });
  });

  test("belongs to the node once its uid is known; an owner that it has stays", () => {
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "old" };
    expect(freshLease(facts(), now).metadata).not.toHaveProperty("ownerReferences");
    const owned = renewedLease(facts("new"), { metadata: { ownerReferences: [owner] } }, now);
    expect(owned.metadata?.ownerReferences).toEqual([owner]);
    expect(renewedLease(facts("new"), { metadata: { ownerReferences: [] } }, now).metadata?.ownerReferences).toEqual([
      { ...owner, uid: "new" },
    ]);
  });

  test("keeps what others have written, when it is renewed and when it is marked", () => {
    const lease = {
      metadata: { name: "n", annotations: { note: "x", "hooklet.dev/agent": "other" } },
      spec: { leaseTransitions: 3, holderIdentity: "other", renewTime: "before" },
    } as never;
    expect(renewedLease(facts(), lease, now)).toMatchObject({
      metadata: { name: "n", annotations: { note: "x", "hooklet.dev/agent": "me" } },
      spec: { leaseTransitions: 3, holderIdentity: "n" },
    });
    expect(markedLease(facts(), lease, now)).toEqual({
      metadata: {
        name: "n",
        annotations: {
          note: "x",
          "hooklet.dev/agent": "other",
          "hooklet.dev/waiting": "me 2026-01-01T00:00:00.120000Z",
        },
      },
      spec: { leaseTransitions: 3, holderIdentity: "other", renewTime: "before" },
    });
  });

  test("that was never written is renewed and marked as well", () => {
    expect(agentOf(renewedLease(facts(), {}, now))).toBe("me");
    expect(agentOf(markedLease(facts(), {}, now))).toBeUndefined();
    expect([agentOf({}), agentOf({ metadata: {} })]).toEqual([undefined, undefined]);
  });

  test("has the time of its last renewal, if any", () => {
    expect(renewTimeOf(freshLease(facts(), now))).toBe("2026-01-01T00:00:00.120000Z");
    expect([undefined, {}, { spec: {} }].map(renewTimeOf)).toEqual(["never", "never", "never"]);
  });

  test("has times in millionths of a second", () => {
    expect(microTime(0)).toBe("1970-01-01T00:00:00.000000Z");
  });
});
