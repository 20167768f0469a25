import { expect, test } from "@jest/globals";
import { paths } from "../../../src/client/paths.js";

const one = { namespace: "a/b", name: "c?d" };

test("names of objects are one step of the path each, whatever is in them", () => {
  const [namespaced, node] = ["/api/v1/namespaces/a%2Fb", "/api/v1/nodes/c%3Fd"];
  expect([
    ...[paths.node("c?d"), paths.lease("c?d"), paths.certificateSigningRequest("c?d")],
    ...[paths.pods("a/b"), paths.events("a/b"), paths.configMaps("a/b"), paths.secrets("a/b")],
    ...[paths.pod(one), paths.event(one), paths.token(one)],
  ]).toEqual([
    node,
    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/c%3Fd",
    "/apis/certificates.k8s.io/v1/certificatesigningrequests/c%3Fd",
    ...["pods", "events", "configmaps", "secrets"].map((kind) => `${namespaced}/${kind}`),
    `${namespaced}/pods/c%3Fd`,
    `${namespaced}/events/c%3Fd`,
    `${namespaced}/serviceaccounts/c%3Fd/token`,
  ]);
});
