import { expect, test } from "@jest/globals";
import { parseKubeConfig } from "../../../src/client/kubeconfig.js";

test.each([
  { name: "a colon too many", content: "users:\n- user: {token: s3cr3t\n  x: y: z" },
  { name: "an indent that is none", content: "users:\n  - user:\n      token: s3cr3t\n     x: 1\n" },
  { name: "text after a quote", content: 'users:\n- user:\n    token: "abc" s3cr3t\n' },
  { name: "a sign that YAML keeps for itself", content: "users:\n- user:\n    token: @s3cr3t\n" },
])("a kubeconfig that is no YAML ($name) is refused with the line, never with what stands there", ({ content }) => {
  const refusal = (): string => {
    try {
      return JSON.stringify(parseKubeConfig(content, "/etc/kubernetes/bootstrap.conf"));
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal()).toMatch(/kubeconfig \/etc\/kubernetes\/bootstrap\.conf.* in line \d/);
  expect(refusal()).not.toContain("s3cr3t");
});
