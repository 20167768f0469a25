import { expect, test } from "@jest/globals";
import { aContainer, aPod, messagesOf } from "../../pods.js";

const R = "spec.containers[0].resources";

test.each<[string, object, string[]]>([
  ["standard amounts may be asked for", { limits: { cpu: 1, memory: 1, "ephemeral-storage": 1 } }, []],
  ["a request may be as large as the limit", { limits: { cpu: 1 }, requests: { cpu: "1000m" } }, []],
  ["zero is an amount", { limits: { cpu: 0 } }, []],
  [
    "an extended resource needs a limit",
    { requests: { "a.example/b": 1 } },
    [`${R}.limits: Required value: Limit must be set for non overcommitable resources`],
  ],
  [
    "huge pages need a limit",
    { requests: { cpu: 1, "hugepages-2Mi": "2Mi" } },
    [`${R}.limits: Required value: Limit must be set for non overcommitable resources`],
  ],
  [
    "huge pages are not overcommitted",
    { limits: { cpu: 1, "hugepages-2Mi": "4Mi" }, requests: { "hugepages-2Mi": "2Mi" } },
    [`${R}.requests: Invalid value: "2Mi": must be equal to hugepages-2Mi limit of 4Mi`],
  ],
  ["huge pages go with cpu", { limits: { cpu: 1, "hugepages-2Mi": "2Mi" } }, []],
  ["huge pages go with memory", { limits: { memory: 1, "hugepages-2Mi": "2Mi" } }, []],
  ["huge pages go with a request of memory", { limits: { "hugepages-2Mi": "2Mi" }, requests: { memory: 1 } }, []],
  ["huge pages may be none", { limits: { cpu: 1, "hugepages-1Gi": 0 } }, []],
  [
    "huge pages have a size",
    { limits: { cpu: 1, "hugepages-big": 1 } },
    [
      `${R}.limits[hugepages-big]: Invalid value: "hugepages-big": "big" is not a page size, for example 2Mi`,
      `${R}.requests[hugepages-big]: Invalid value: "hugepages-big": "big" is not a page size, for example 2Mi`,
    ],
  ],
  [
    "huge pages have a size above zero",
    { limits: { cpu: 1, "hugepages-0": 1 } },
    [
      `${R}.limits[hugepages-0]: Invalid value: "1": must be a multiple of the page size 0`,
      `${R}.requests[hugepages-0]: Invalid value: "1": must be a multiple of the page size 0`,
    ],
  ],
  ["a domain of kubernetes.io is the node's own", { requests: { "x.kubernetes.io/b": 1 } }, []],
  [
    "a quota's name is no resource",
    { limits: { "requests.a/b": 1 } },
    ["limits", "requests"].map(
      (field) =>
        `${R}.${field}[requests.a/b]: Invalid value: "requests.a/b": doesn't follow extended resource name standard`,
    ),
  ],
])("resources of a container: %s", async (_rule, resources, expected) => {
  expect(await messagesOf(aContainer({ resources }))).toEqual(expected);
});

test.each<[string, object, string[]]>([
  ["cpu and memory may be given", { cpu: "100m", memory: "1Mi" }, []],
  [
    "no other name may",
    { pids: 1 },
    ['spec.overhead[pids]: Invalid value: "pids": must be a standard resource for containers'],
  ],
  ["none is below zero", { cpu: -1 }, ['spec.overhead[cpu]: Invalid value: "-1": must be greater than or equal to 0']],
])("overhead: %s", async (_rule, overhead, expected) => {
  expect(await messagesOf(aPod({ overhead }))).toEqual(expected);
});

test.each<[string, object, string[]]>([
  ["as much as the containers together is enough", { cpu: "300m" }, []],
  [
    "less than the containers together is not",
    { cpu: "299m" },
    [
      'spec.resources.requests[cpu]: Invalid value: "299m": must be greater than or equal to aggregate container requests of 300m',
    ],
  ],
  ["what no request names need not be as much", { memory: 1 }, []],
])("requests of the pod: %s", async (_rule, requests, expected) => {
  const container = (name: string, cpu: string): object => ({ name, image: "i", resources: { requests: { cpu } } });
  const containers = [container("a", "100m"), container("b", "200m")];
  // The pod's overhead is not the containers'.
  expect(await messagesOf(aPod({ resources: { requests }, containers, overhead: { cpu: "1" } }))).toEqual(expected);
});

const P = "spec.containers[0].resizePolicy";

test.each<[string, object[], string, string[]]>([
  [
    "each resource may have one",
    [
      { resourceName: "cpu", restartPolicy: "NotRequired" },
      { resourceName: "memory", restartPolicy: "RestartContainer" },
    ],
    "Always",
    [],
  ],
  [
    "no resource has two",
    [
      { resourceName: "cpu", restartPolicy: "NotRequired" },
      { resourceName: "cpu", restartPolicy: "NotRequired" },
    ],
    "Always",
    [`${P}[1]: Duplicate value: "cpu"`],
  ],
  [
    "other resources have none",
    [{ resourceName: "pids", restartPolicy: "NotRequired" }],
    "Always",
    [`${P}[0].resourceName: Unsupported value: "pids": supported values: "cpu", "memory"`],
  ],
  [
    "it says whether the container restarts",
    [{ resourceName: "cpu", restartPolicy: "Maybe" }],
    "Always",
    [`${P}[0].restartPolicy: Unsupported value: "Maybe": supported values: "NotRequired", "RestartContainer"`],
  ],
  [
    "both are needed",
    [{}],
    "Always",
    [`${P}[0].resourceName: Required value`, `${P}[0].restartPolicy: Required value`],
  ],
  [
    "a pod that never restarts cannot restart for it",
    [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
    "Never",
    [`${P}: Invalid value: "RestartContainer": must be 'NotRequired' when \`restartPolicy\` is 'Never'`],
  ],
  ["a pod that never restarts can do without", [{ resourceName: "cpu", restartPolicy: "NotRequired" }], "Never", []],
])("resize policies: %s", async (_rule, resizePolicy, restartPolicy, expected) => {
  const containers = [{ name: "main", image: "host", resizePolicy }];
  expect(await messagesOf(aPod({ restartPolicy, containers }))).toEqual(expected);
});
