import type { Container, Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import {
  type Restrictions,
  refusedFields,
  restricted,
  restrictedContainer,
} from "../../../src/admission/restrictions.js";
import { aContainer, aPod } from "../../pod/pods.js";

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
  [
    "an unmasked /proc",
    withContainer({ securityContext: { procMount: "Unmasked" } }),
    ["procMount Unmasked of container main"],
  ],
  [
    "a profile whose type is a number, which protobuf reads as Unconfined",
    withContainer({ securityContext: { seccompProfile: { type: 1 as never }, appArmorProfile: { type: 1 as never } } }),
    ["seccompProfile 1 of container main", "appArmorProfile 1 of container main"],
  ],
  [
    "a profile of an unknown type",
    aPod({ securityContext: { seccompProfile: { type: "unconfined" } } }),
    ["seccompProfile unconfined"],
  ],
  [
    "a container without the profiles that others have",
    withContainer({
      securityContext: { seccompProfile: { type: "Unconfined" }, appArmorProfile: { type: "Unconfined" } },
    }),
    ["seccompProfile Unconfined of container main", "appArmorProfile Unconfined of container main"],
  ],
  [
    "a pod without the profiles that others have",
    aPod({ securityContext: { seccompProfile: { type: "Unconfined" }, appArmorProfile: { type: "Unconfined" } } }),
    ["seccompProfile Unconfined", "appArmorProfile Unconfined"],
  ],
  ["a host path that leaves the list", onHost("/srv/../etc"), ["hostPath /srv/../etc of volume v"]],
  ["a host path that only begins alike", onHost("/var/logs"), ["hostPath /var/logs of volume v"]],
  ["the root", onHost("/"), ["hostPath / of volume v"]],
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
  [
    "a probe of the pod itself",
    withContainer({ livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { tcpSocket: { port: 1 } } }),
  ],
])("%s is allowed", (_name, pod) => {
  expect(refusedFields(pod, all)).toEqual([]);
});

describe("an ephemeral container", () => {
  const debugged = aPod({
    ephemeralContainers: [
      { name: "debug", image: "busybox", securityContext: { privileged: true, capabilities: { add: ["SYS_PTRACE"] } } },
    ],
  });
  const [debug] = debugged.spec.ephemeralContainers ?? [];

  test("is refused by name where the pod's own containers would be", () => {
    expect(restrictedContainer(debug as Container, "kube", { others: all })?.message).toBe(
      "Pods of source kube may not ask for privileged of container debug, capabilities SYS_PTRACE of container debug (sources.restrictions)",
    );
    expect(restrictedContainer(debug as Container, "kube", {})).toBeUndefined();
  });

  test("is no reason against its pod as long as it does not run, and is one when the rule comes while it runs", () => {
    expect(restricted(debugged, "kube", { others: all })).toBeUndefined();
    expect(restricted(debugged, "kube", { others: all }, ["main"])).toBeUndefined();
    expect(restricted(debugged, "kube", { others: all }, ["main", "debug"])?.reason).toBe("SourceRestricted");
  });
});

test("an external source is reported by its name, and an unknown one as this source", () => {
  const pod = aPod({ hostPID: true });
  expect(restricted(pod, "kube", { others: all })?.message).toMatch(/^Pods of source kube may not ask for hostPID /);
  expect(restricted(pod, undefined, { others: all })?.message).toMatch(/^Pods of this source may not ask for hostPID /);
  expect(restricted(pod, "manifestUrl", { manifestUrl: all, others: none })).toBeDefined();
  expect(restricted(pod, "manifests", { manifests: all, others: none })).toBeDefined();
  expect(restricted(aPod(), "manifests", { manifests: all })).toBeUndefined();
});

test.each([
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
])("Baseline lets containers add %s", (capability) => {
  const add = [capability, `CAP_${capability}`];
  expect(refusedFields(withContainer({ securityContext: { capabilities: { add } } }), all)).toEqual([]);
});

test("several refused capabilities are reported together, and a name with CAP_ inside is not shortened", () => {
  const add = ["SYS_ADMIN", "NET_ADMIN", "CHCAP_OWN"];
  expect(refusedFields(withContainer({ securityContext: { capabilities: { add } } }), all)).toEqual([
    "capabilities SYS_ADMIN, NET_ADMIN, CHCAP_OWN of container main",
  ]);
});

test.each(["livenessProbe", "readinessProbe", "startupProbe"] as const)("a %s of another host is refused", (field) => {
  for (const handler of [{ httpGet: { port: 80, host: "db" } }, { tcpSocket: { port: 80, host: "db" } }]) {
    expect(refusedFields(withContainer({ [field]: handler }), all)).toEqual([`host db in ${field} of container main`]);
  }
});

test("a postStart of another host is refused, one of the pod's own is not", () => {
  const handler = (host?: string) => ({ lifecycle: { postStart: { httpGet: { port: 80, ...(host && { host }) } } } });
  expect(refusedFields(withContainer(handler("db")), all)).toEqual([
    "host db in lifecycle.postStart of container main",
  ]);
  expect(refusedFields(withContainer(handler()), all)).toEqual([]);
});

test("volumes that are not the host's are not restricted", () => {
  expect(refusedFields(aPod({ volumes: [{ name: "v", emptyDir: {} }] }), all)).toEqual([]);
});

test.each([
  {
    name: "of which one is written with dots and slashes",
    allowed: "/srv/./data//",
    path: "/srv/data/x",
    refused: false,
  },
  {
    name: "that is written with dots and slashes itself",
    allowed: "/srv/data",
    path: "//srv/.//data/./x",
    refused: false,
  },
  { name: "whose name begins with a dot", allowed: "/srv", path: "/.srv", refused: true },
  { name: "above the list", allowed: "/srv/data", path: "/srv", refused: true },
  { name: "beside the list", allowed: "/srv/data", path: "/srv/other", refused: true },
  { name: "anywhere, where the root is in the list", allowed: "/", path: "/etc", refused: false },
])("a host path $name: refused $refused", ({ allowed, path, refused }) => {
  const only = { ...none, allowedHostPaths: [allowed] };
  expect(refusedFields(onHost(path), only)).toEqual(refused ? [`hostPath ${path} of volume v`] : []);
});
