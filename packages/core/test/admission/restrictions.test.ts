import type { Container, Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { type Restrictions, refusedFields, restricted } from "../../src/admission/restrictions.js";
import { TestNode } from "../agent/node.js";
import { aContainer, aPod } from "../pod/pods.js";

const none: Restrictions = {
  refusePrivileged: false,
  refuseHostNamespaces: false,
  allowedHostPaths: null,
  refuseProbeHosts: false,
};
const all: Restrictions = {
  refusePrivileged: true,
  refuseHostNamespaces: true,
  allowedHostPaths: ["/var/log", "/srv/"],
  refuseProbeHosts: true,
};

const withContainer = (more: Partial<Container>): Pod => aPod({ containers: [aContainer("main", more)] });
const onHost = (path: string): Pod => aPod({ volumes: [{ name: "v", hostPath: { path } }] });

test.each<[string, Pod, readonly string[]]>([
  [
    "a privileged container",
    withContainer({ securityContext: { privileged: true } }),
    ["privileged of container main"],
  ],
  [
    "a privileged init container",
    aPod({ initContainers: [aContainer("first", { securityContext: { privileged: true } })] }),
    ["privileged of container first"],
  ],
  [
    "a capability that is as good as root's",
    withContainer({ securityContext: { capabilities: { add: ["SYS_ADMIN", "NET_BIND_SERVICE"] } } }),
    ["capabilities SYS_ADMIN of container main"],
  ],
  [
    "all capabilities",
    withContainer({ securityContext: { capabilities: { add: ["ALL"] } } }),
    ["capabilities ALL of container main"],
  ],
  [
    "every host namespace",
    aPod({ hostNetwork: true, hostPID: true, hostIPC: true }),
    ["hostNetwork", "hostPID", "hostIPC"],
  ],
  ["a host path outside the list", onHost("/etc"), ["hostPath /etc of volume v"]],
  ["a host path that only begins alike", onHost("/var/logs"), ["hostPath /var/logs of volume v"]],
  ["the root", onHost("/"), ["hostPath / of volume v"]],
  [
    "a probe of another host",
    withContainer({ livenessProbe: { httpGet: { port: 80, host: "169.254.169.254" } } }),
    ["host 169.254.169.254 in livenessProbe of container main"],
  ],
  [
    "a lifecycle handler of another host",
    withContainer({ lifecycle: { preStop: { httpGet: { port: 80, host: "db" } } } }),
    ["host db in lifecycle.preStop of container main"],
  ],
])("%s is refused by name, and allowed where nothing is restricted", (_name, pod, fields) => {
  expect(refusedFields(pod, all)).toEqual(fields);
  expect(refusedFields(pod, none)).toEqual([]);
});

test.each<[string, Pod]>([
  ["an ordinary pod", aPod()],
  ["a host path of the list", onHost("/var/log")],
  ["a host path below the list, written carelessly", onHost("/srv//./data")],
  ["what Baseline lets containers add", withContainer({ securityContext: { capabilities: { add: ["CAP_CHOWN"] } } })],
  [
    "a probe of the pod itself",
    withContainer({ livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { tcpSocket: { port: 1 } } }),
  ],
])("%s is allowed", (_name, pod) => {
  expect(refusedFields(pod, all)).toEqual([]);
});

test("each source has its own; those of plugins are `others`", () => {
  const pod = aPod({ hostPID: true });
  expect(restricted(pod, "control", { control: all })?.message).toBe(
    "Pods of source control may not ask for hostPID (sources.restrictions)",
  );
  expect(restricted(pod, "manifests", { control: all })).toBeUndefined();
  expect(restricted(pod, "kube", { others: all })?.reason).toBe("SourceRestricted");
  expect(restricted(pod, "kube", {})).toBeUndefined();
});

test("a pod of a restricted source is Failed with the reason, and the same pod of another source runs", async () => {
  class Restricted extends TestNode {
    override options() {
      const options = super.options();
      const sources = { ...options.config.sources, restrictions: { control: all } };
      return { ...options, config: { ...options.config, sources } };
    }
  }
  const here = new Restricted();
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
  const manifest = (name: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { hostPID: true, containers: [{ name: "main", image: "app:1" }] },
    });
  await here.agent.api.apply(manifest("one"), "-f");
  await here.manifest("two.json", manifest("two"));
  await here.clock.advance(2_000);
  expect(here.status("one")).toMatchObject({ phase: "Failed", reason: "SourceRestricted" });
  expect(here.status("two").phase).toBe("Running");
});
