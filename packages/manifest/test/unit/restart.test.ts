import { describe, expect, test } from "@jest/globals";
import {
  type Container,
  type ContainerRestartRule,
  matchingRestartRule,
  mayRestartAllContainers,
  type Pod,
  shouldRestart,
} from "../../src/index.js";

const rule = (
  operator: "In" | "NotIn",
  values: readonly number[],
  action: ContainerRestartRule["action"] = "Restart",
) => ({
  action,
  exitCodes: { operator, values },
});

function container(restartPolicy?: string, ...restartPolicyRules: readonly object[]): Container {
  return { name: "c", image: "i", ...(restartPolicy && { restartPolicy }), restartPolicyRules } as Container;
}

function pod(restartPolicy: string, ...containers: readonly Container[]): Pod {
  return { metadata: { name: "p", namespace: "n", uid: "u" }, spec: { restartPolicy, containers: [...containers] } };
}

describe("a container is started again", () => {
  test.each([
    { name: "by its pod's policy where it has none", of: "OnFailure", own: container(), code: 1, again: true },
    { name: "by its pod's policy: not after success", of: "OnFailure", own: container(), code: 0, again: false },
    { name: "by its own policy before its pod's", of: "Never", own: container("Always"), code: 0, again: true },
    { name: "by its own policy: never", of: "Always", own: container("Never"), code: 1, again: false },
    {
      name: "by a rule before its policy",
      of: "Never",
      own: container("Never", rule("In", [42])),
      code: 42,
      again: true,
    },
    { name: "not by a rule for others", of: "Never", own: container("Never", rule("In", [42])), code: 1, again: false },
    {
      name: "by a rule for all others",
      of: "Never",
      own: container("Never", rule("NotIn", [0])),
      code: 1,
      again: true,
    },
    {
      name: "not where that leaves it out",
      of: "Never",
      own: container("Never", rule("NotIn", [0])),
      code: 0,
      again: false,
    },
    {
      name: "a rule without codes matches none",
      of: "Never",
      own: container("Never", { action: "Restart" }),
      code: 1,
      again: false,
    },
  ])("$name", ({ of, own, code, again }) => {
    expect(shouldRestart(pod(of, own), own, code)).toBe(again);
  });

  test("the first rule for the exit code counts", () => {
    const own = container("Never", rule("In", [1]), rule("In", [42], "RestartAllContainers"), rule("NotIn", [1]));
    expect([1, 42, 2].map((code) => matchingRestartRule(own, code)?.action)).toEqual([
      "Restart",
      "RestartAllContainers",
      "Restart",
    ]);
  });
});

test("a pod may restart all its containers when one of them, an init container too, has a rule for it", () => {
  const all = container("Never", rule("In", [42], "RestartAllContainers"));
  const own = container("Never", rule("In", [42]));
  expect(mayRestartAllContainers(pod("Always", own))).toBe(false);
  expect(mayRestartAllContainers(pod("Always", own, all))).toBe(true);
  const init = pod("Always", own);
  expect(mayRestartAllContainers({ ...init, spec: { ...init.spec, initContainers: [all] } })).toBe(true);
});
