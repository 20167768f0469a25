import { describe, expect, test } from "@jest/globals";
import { fieldValue, metadataValue, resourceValue } from "../../../../src/pod/spec/downward.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const pod = aPod(
  { serviceAccountName: "robot" },
  { labels: { b: "2", a: 'say "1"\n' }, annotations: { "example.com/it's": "x", note: "y" } },
);
const facts = { nodeName: "node1", hostIp: "192.0.2.1", podIps: ["10.0.0.5", "fd00::5"] };

describe("a field of a pod", () => {
  test.each([
    ["metadata.name", "web-node1"],
    ["metadata.namespace", "default"],
    ["metadata.uid", "0123456789abcdef0123456789abcdef"],
    ["metadata.labels", 'a="say \\"1\\"\\n"\nb="2"'],
    ["metadata.annotations", 'example.com/it\'s="x"\nnote="y"'],
    ["metadata.labels['b']", "2"],
    ["metadata.labels['none']", ""],
    ["metadata.annotations['note']", "y"],
    ["metadata.annotations['example.com/it's']", "x"],
    ["spec.nodeName", "node1"],
    ["spec.serviceAccountName", "robot"],
    ["status.hostIP", "192.0.2.1"],
    ["status.hostIPs", "192.0.2.1"],
    ["status.podIP", "10.0.0.5"],
    ["status.podIPs", "10.0.0.5,fd00::5"],
  ])("%s is what the kubelet gives", (path, value) => expect(fieldValue(pod, path, facts)).toBe(value));

  test.each([
    ["metadata.labels", ""],
    ["metadata.annotations", ""],
    ["metadata.labels['a']", ""],
    ["spec.serviceAccountName", ""],
    ["status.podIP", ""],
    ["status.podIPs", ""],
  ])("%s is empty where the pod has none", (path, value) => {
    expect(fieldValue(aPod(), path, { ...facts, podIps: [] })).toBe(value);
  });

  test.each(["spec.containers", "metadata.labels['a'].b", "my.metadata.labels['a']", "metadata.finalizers", ""])(
    "%j is none",
    (path) => expect(() => fieldValue(pod, path, facts)).toThrow(`unsupported fieldPath: ${path}`),
  );

  test("volumes have those of the metadata alone", () => {
    expect(metadataValue(pod, "metadata.name")).toBe("web-node1");
    expect(() => metadataValue(pod, "spec.nodeName")).toThrow(
      expect.objectContaining({ name: "ContainerConfigError", message: "unsupported fieldPath: spec.nodeName" }),
    );
  });
});

describe("a resource of a container", () => {
  const limited = aContainer("main", {
    resources: { requests: { cpu: "250m", memory: "32Mi" }, limits: { cpu: "1500m", memory: "64Mi" } },
  });
  const bare = aContainer("bare");
  const both = aPod({ containers: [limited, bare] });
  const node = { cpu: 4000, memory: 2 ** 30 };

  test.each<[string, object, string]>([
    ["cpu in whole cores, rounded up", { resource: "limits.cpu" }, "2"],
    ["cpu in thousandths", { resource: "limits.cpu", divisor: "1m" }, "1500"],
    ["a divisor of 0 is 1", { resource: "requests.cpu", divisor: "0" }, "1"],
    ["memory in bytes", { resource: "limits.memory" }, String(64 * 2 ** 20)],
    ["memory in mebibytes", { resource: "requests.memory", divisor: "1Mi" }, "32"],
    ["of another container, by name", { resource: "requests.cpu", containerName: "bare", divisor: "1m" }, "0"],
    ["of itself, where the name is empty", { resource: "requests.cpu", containerName: "", divisor: "1m" }, "250"],
    ["a limit that is not set is what the node has", { resource: "limits.cpu", containerName: "bare" }, "4"],
    ["of which the node has none it is 0", { resource: "limits.hugepages-2Mi", containerName: "bare" }, "0"],
    ["a request that is not set is 0", { resource: "requests.memory", containerName: "bare" }, "0"],
  ])("%s", (_, ref, value) => expect(resourceValue(both, limited, ref as never, node)).toBe(value));

  test("may have no container", () => {
    expect(() => resourceValue(both, limited, { resource: "limits.cpu", containerName: "x" }, node)).toThrow(
      "container x not found",
    );
    expect(() => resourceValue(both, undefined, { resource: "limits.cpu" }, node)).toThrow("not found");
  });

  test.each(["cpu", "limits", "limits.", "my.limits.cpu", "claims.cpu", ""])("%j is none", (resource) => {
    expect(() => resourceValue(both, limited, { resource }, node)).toThrow(
      `unsupported container resource: ${resource}`,
    );
  });
});
