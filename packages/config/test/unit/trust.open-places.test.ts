import { expect, test } from "@jest/globals";
import { openPlaces } from "../../src/trust.js";

const own = {
  sources: { manifests: "/etc/pods" },
  server: {
    tlsCertFile: "/etc/pki/node.crt",
    tlsPrivateKeyFile: "/etc/pki/node.key",
    authentication: { x509: { clientCAFile: "/etc/pki/ca.crt" } },
  },
} as unknown as Parameters<typeof openPlaces>[0];
const cluster = [
  {
    specifier: "@acme/cluster",
    options: { kubeconfig: "/etc/kubernetes/kubelet.conf", other: "/tmp/x" },
    path: ["sources", "cluster"],
    origin: "rc:1",
  },
];
const sourcePlugins = { cluster: { specifier: "@acme/cluster", files: ["kubeconfig", "bootstrap"] } } as never;

/** As root; all can write this file, all else is root's alone. */
const warningsFor = (open: string): readonly string[] =>
  openPlaces(own, cluster, sourcePlugins, {
    uid: 0,
    lstat: (path) => ({ uid: 0, mode: path === open ? 0o666 : 0o755 }),
  });

test.each([
  { file: "/etc/pods", path: "sources.manifests", means: "decides what runs" },
  { file: "/etc/kubernetes/kubelet.conf", path: "sources.cluster.kubeconfig", means: "decides what runs" },
  { file: "/etc/pki/ca.crt", path: "server.authentication.x509.clientCAFile", means: "decides who is let in" },
  { file: "/etc/pki/node.crt", path: "server.tlsCertFile", means: "speaks for this node" },
  { file: "/etc/pki/node.key", path: "server.tlsPrivateKeyFile", means: "speaks for this node" },
])("$path that others can write is named, with what that means", ({ file, path, means }) => {
  expect(warningsFor(file)).toEqual([
    `${path}: expected ${file} to be writable by its owner only, found mode 0666 (who can write there ${means})`,
  ]);
});

test("a place without an option is not checked, and there is no fault where all is root's", () => {
  expect([warningsFor("/tmp/x"), warningsFor("/nowhere")]).toEqual([[], []]);
});
