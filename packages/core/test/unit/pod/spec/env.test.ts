import { describe, expect, test } from "@jest/globals";
import { containerEnv, expand } from "../../../../src/pod/spec/env.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const facts = {
  nodeName: "node1",
  hostIp: "192.0.2.1",
  podIps: ["10.0.0.7", "fd00::7"],
  allocatable: { cpu: 2000, memory: 1024 ** 3 },
};

describe("$(NAME) expansion", () => {
  const lookup = (name: string): string | undefined => ({ A: "1", EMPTY: "" })[name];
  test.each([
    { name: "a known name", text: "x-$(A)", expected: "x-1" },
    { name: "an unknown name stays", text: "$(B)", expected: "$(B)" },
    { name: "a doubled dollar escapes", text: "$$(A)", expected: "$(A)" },
    { name: "an empty value counts", text: "[$(EMPTY)]", expected: "[]" },
    { name: "an open bracket stays", text: "$(A", expected: "$(A" },
    { name: "a lone dollar stays", text: "5$ and $x", expected: "5$ and $x" },
    { name: "three dollars", text: "$$$(A)", expected: "$1" },
  ])("$name", ({ text, expected }) => {
    expect(expand(text, lookup)).toBe(expected);
  });
});

describe("the environment of a container", () => {
  const value = (env: NonNullable<ReturnType<typeof aContainer>["env"]>, name: string): string | undefined => {
    const container = aContainer("main", {
      env,
      resources: { limits: { cpu: "1500m" }, requests: { memory: "100M" } },
    });
    return containerEnv(aPod({ containers: [container] }, { labels: { app: "x" } }), container, facts).get(name);
  };

  test("a later variable sees an earlier one and not the other way round", () => {
    const env = [
      { name: "EARLY", value: "$(LATE)" },
      { name: "LATE", value: "2" },
      { name: "SUM", value: "$(LATE)+1" },
    ];
    expect(value(env, "EARLY")).toBe("$(LATE)");
    expect(value(env, "SUM")).toBe("2+1");
  });

  test.each([
    { fieldPath: "metadata.name", expected: "web-node1" },
    { fieldPath: "status.podIPs", expected: "10.0.0.7,fd00::7" },
  ])("fieldRef $fieldPath", ({ fieldPath, expected }) => {
    expect(value([{ name: "V", valueFrom: { fieldRef: { fieldPath } } }], "V")).toBe(expected);
  });

  test.each([
    { resource: "limits.cpu", divisor: "1m", expected: "1500" },
    { resource: "limits.memory", divisor: "1Gi", expected: "1" },
  ])("resourceFieldRef $resource in $divisor, rounded up", ({ resource, divisor, expected }) => {
    expect(value([{ name: "V", valueFrom: { resourceFieldRef: { resource, divisor } } }], "V")).toBe(expected);
  });
});
