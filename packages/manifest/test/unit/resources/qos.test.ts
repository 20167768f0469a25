import { describe, expect, test } from "@jest/globals";
import { aContainer, aPod } from "../../../../core/test/unit/admission/pods.js";
import { computeQosClass, qosClass } from "../../../src/resources/qos.js";

const full = { cpu: "1", memory: "1Gi" };
const guaranteed = aContainer(full, { limits: full });

describe("the QoS class of a pod", () => {
  test.each([
    { name: "no request and no limit: BestEffort", containers: [aContainer({})], expected: "BestEffort" },
    {
      name: "only other resources: BestEffort",
      containers: [aContainer({ "vendor.example/gpu": "1" })],
      expected: "BestEffort",
    },
    { name: "a request alone: Burstable", containers: [aContainer({ cpu: "1m" })], expected: "Burstable" },
    {
      name: "limits without requests: Burstable",
      containers: [aContainer({}, { limits: full })],
      expected: "Burstable",
    },
    {
      name: "one container without limits: Burstable",
      containers: [guaranteed, aContainer({})],
      expected: "Burstable",
    },
    {
      name: "zeros: BestEffort",
      containers: [aContainer({ cpu: "0" }, { limits: { memory: "0" } })],
      expected: "BestEffort",
    },
    {
      name: "equal amounts in other words: Guaranteed",
      containers: [aContainer({ cpu: "1000m", memory: "1024Mi" }, { limits: full })],
      expected: "Guaranteed",
    },
    {
      name: "sums decide over requests: Guaranteed although no container's own are equal",
      containers: [
        aContainer({ cpu: "1", memory: "1Gi" }, { limits: { cpu: "2", memory: "1Gi" } }),
        aContainer({ cpu: "2", memory: "1Gi" }, { limits: { cpu: "1", memory: "1Gi" } }),
      ],
      expected: "Guaranteed",
    },
  ])("$name", ({ containers, expected }) => expect(computeQosClass(aPod({ containers }))).toBe(expected));

  test("init containers count like main ones", () => {
    const pod = aPod({ containers: [guaranteed], initContainers: [aContainer({})] });
    expect(computeQosClass(pod)).toBe("Burstable");
  });

  test("the class in the status is believed, an empty one is not", () => {
    const pod = aPod({ containers: [guaranteed] });
    expect(qosClass({ ...pod, status: { qosClass: "BestEffort" } })).toBe("BestEffort");
    expect(qosClass({ ...pod, status: { qosClass: "" } })).toBe("Guaranteed");
  });
});
