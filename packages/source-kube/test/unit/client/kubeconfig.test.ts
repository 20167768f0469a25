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

const plain = config("", "");

test("a slash at the end of a server is cut off, and a certificate of any server is taken only where that is said", () => {
  expect(parseKubeConfig(plain, "/k")).toEqual({ server: "https://api:6443", insecureSkipTLSVerify: false });
  const insecure = parseKubeConfig(config("insecure-skip-tls-verify: true", ""), "/k");
  expect(insecure.insecureSkipTLSVerify).toBe(true);
});

test("a context without a user needs no users", () => {
  const content = `clusters: [{name: c, cluster: {server: "http://api"}}]
contexts: [{name: x, context: {cluster: c}}]
current-context: x
`;
  expect(parseKubeConfig(content, "/k")).toEqual({ server: "http://api", insecureSkipTLSVerify: false });
});

const entries = (count: number): string =>
  `[${Array.from({ length: count }, () => "{name: c, cluster: {server: 'http://a'}}").join()}]`;

test.each<[name: string, content: string, says: string]>([
  ["is no map", "- a\n", "kubeconfig /k, as a whole: expected a kubeconfig, found "],
  ["is empty", "", "kubeconfig /k, as a whole: expected a kubeconfig, found "],
  [
    "names a server by another protocol",
    plain.replace("https://api", "ftp://api"),
    'kubeconfig /k, clusters.0.cluster.server: expected a kubeconfig, found "an http or https URL".',
  ],
  [
    "names a server by no URL",
    plain.replace("https://api:6443/", "api"),
    'kubeconfig /k, clusters.0.cluster.server: expected a kubeconfig, found "an http or https URL".',
  ],
  [
    "has too many clusters",
    plain.replace(/clusters: .*/, `clusters: ${entries(1_001)}`),
    "kubeconfig /k, clusters: expected a kubeconfig, found ",
  ],
  [
    "has an empty path",
    config("certificate-authority: ''", ""),
    "kubeconfig /k, clusters.0.cluster.certificate-authority: ",
  ],
  [
    "has no context of that name",
    plain.replace("-context: x", "-context: y"),
    'kubeconfig /k: expected context "y", found "x".',
  ],
  [
    "has no cluster of that name",
    plain.replace("cluster: c,", "cluster: d,"),
    'kubeconfig /k: expected cluster "d", found "c".',
  ],
  ["has no user of that name", plain.replace("user: u}", "user: v}"), 'kubeconfig /k: expected user "v", found "u".'],
  ["has no users", plain.replace(/users: .*/, ""), 'kubeconfig /k: expected user "u", found "none".'],
  [
    "runs a program for its credentials",
    config("", "exec: {command: x}"),
    'kubeconfig /k, user u: expected a client certificate, token or tokenFile, found "exec".',
  ],
  [
    "has a provider of credentials",
    config("", "auth-provider: {name: x}"),
    'kubeconfig /k, user u: expected a client certificate, token or tokenFile, found "auth-provider".',
  ],
  [
    "has a password",
    config("", "username: x"),
    'kubeconfig /k, user u: expected a client certificate, token or tokenFile, found "username".',
  ],
])("a kubeconfig that %s is refused", (_name, content, says) => {
  expect(() => parseKubeConfig(content, "/k")).toThrow(says);
});

test("a thousand clusters are taken", () => {
  expect(parseKubeConfig(plain.replace(/clusters: .*/, `clusters: ${entries(1_000)}`), "/k").server).toBe("http://a");
});
