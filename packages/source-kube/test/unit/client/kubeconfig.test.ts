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

const config = (cluster: string, user: string) =>
  `clusters: [{name: c, cluster: {server: "https://api:6443/", ${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;

test("files of a kubeconfig lie beside it; what stands in it goes before a file, but for the token", () => {
  const files = config(
    "certificate-authority: ca.pem",
    "client-certificate: /etc/u.pem, client-key: u.key, tokenFile: t, token: s",
  );
  expect(parseKubeConfig(files, "/etc/kubernetes/kubelet.conf")).toEqual({
    server: "https://api:6443",
    insecureSkipTLSVerify: false,
    ca: { file: "/etc/kubernetes/ca.pem" },
    clientCertificate: { file: "/etc/u.pem" },
    clientKey: { file: "/etc/kubernetes/u.key" },
    token: { file: "/etc/kubernetes/t" },
  });
  const data = (text: string) => Buffer.from(text).toString("base64");
  const texts = config(
    `certificate-authority: ca.pem, certificate-authority-data: ${data("CA")}, tls-server-name: other`,
    "token: s",
  );
  expect(parseKubeConfig(texts, "/etc/kubernetes/kubelet.conf")).toMatchObject({
    ca: { text: "CA" },
    token: { text: "s" },
    tlsServerName: "other",
  });
});
