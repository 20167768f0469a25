import { loginsFor } from "@hooklet/core/rules";
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { loginsOf, needsRefresh, nestedMountpoints, serviceEnv } from "../../../src/internal.js";
import { serviceNamespaces } from "../../../src/values/object-values.js";
import { expired } from "../../../src/volumes/tokens.js";

describe("variables of services", () => {
  const service = (namespace: string, name: string, clusterIP: string, ports: object[]) => ({
    metadata: { namespace, name },
    spec: { clusterIP, ports: ports as { port: number }[] },
  });
  const master = service("default", "kubernetes", "10.0.0.1", [{ name: "https", port: 443, protocol: "TCP" }]);
  const own = service("team", "my-db", "fd00::1", [
    { port: 53, protocol: "UDP" },
    { name: "web-ui", port: 80 },
  ]);

  test("host, ports and the ones docker had, IPv6 in brackets", () => {
    expect(serviceEnv([own], "team", true)).toEqual({
      MY_DB_SERVICE_HOST: "fd00::1",
      MY_DB_SERVICE_PORT: "53",
      MY_DB_SERVICE_PORT_WEB_UI: "80",
      MY_DB_PORT: "udp://[fd00::1]:53",
      MY_DB_PORT_53_UDP: "udp://[fd00::1]:53",
      MY_DB_PORT_53_UDP_PROTO: "udp",
      MY_DB_PORT_53_UDP_PORT: "53",
      MY_DB_PORT_53_UDP_ADDR: "fd00::1",
      MY_DB_PORT_80_TCP: "tcp://[fd00::1]:80",
      MY_DB_PORT_80_TCP_PROTO: "tcp",
      MY_DB_PORT_80_TCP_PORT: "80",
      MY_DB_PORT_80_TCP_ADDR: "fd00::1",
    });
  });
  test.each([
    {
      name: "without links the cluster's own alone",
      links: false,
      services: [master, own],
      hosts: ["KUBERNETES_SERVICE_HOST"],
    },
    {
      name: "other namespaces are left out",
      links: true,
      services: [master, service("other", "x", "10.0.0.2", [{ port: 1 }])],
      hosts: ["KUBERNETES_SERVICE_HOST"],
    },
    {
      name: "of the default namespace other namespaces get only the API server",
      links: true,
      services: [master, service("default", "x", "10.0.0.2", [{ port: 1 }])],
      hosts: ["KUBERNETES_SERVICE_HOST"],
    },
    {
      name: "a service that is called kubernetes elsewhere is not the API server",
      links: false,
      services: [service("team", "kubernetes", "10.0.0.2", [{ port: 1 }])],
      hosts: [],
    },
    {
      name: "those without an address yet are left out",
      links: true,
      services: [
        service("team", "x", "", [{ port: 1 }]),
        { metadata: { namespace: "team", name: "y" }, spec: { ports: [{ port: 1 }] } },
        { metadata: { namespace: "team", name: "z" } },
      ],
      hosts: [],
    },
    {
      name: "headless ones are left out",
      links: true,
      services: [service("team", "x", "None", [{ port: 1 }])],
      hosts: [],
    },
  ])("$name", ({ links, services, hosts }) => {
    expect(Object.keys(serviceEnv(services, "team", links)).filter((key) => key.endsWith("_HOST"))).toEqual(hosts);
  });
});

test("a pod's own service hides the cluster's of the same name, whichever comes first", () => {
  const of = (namespace: string, clusterIP: string) => ({
    metadata: { namespace, name: "kubernetes" },
    spec: { clusterIP, ports: [{ port: 443 }] },
  });
  const both = [of("team", "10.0.0.9"), of("default", "10.0.0.1")];
  for (const services of [both, both.toReversed()]) {
    expect(serviceEnv(services, "team", true).KUBERNETES_SERVICE_HOST).toBe("10.0.0.9");
  }
});

test("a service without ports has a host alone", () => {
  const service = { metadata: { namespace: "team", name: "db" }, spec: { clusterIP: "10.0.0.2" } };
  expect(serviceEnv([service], "team", true)).toEqual({ DB_SERVICE_HOST: "10.0.0.2" });
});

test.each([
  {
    name: "with links: the cluster's own and the pod's",
    namespace: "team",
    links: true,
    expected: ["default", "team"],
  },
  { name: "without links: the cluster's own", namespace: "team", links: false, expected: ["default"] },
  { name: "each once", namespace: "default", links: true, expected: ["default"] },
])("namespaces whose services a pod gets, $name", ({ namespace, links, expected }) => {
  expect(serviceNamespaces(namespace, links)).toEqual(expected);
});

describe("credentials in Secrets", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const secret = (auths: object) => ({
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": base64(JSON.stringify({ auths })) },
  });
  const users = (auths: object, image: string): string[] =>
    loginsFor(loginsOf(secret(auths)), image).map(({ username }) => username);
  const login = (username: string) => ({ auth: base64(`${username}:pa:ss`) });

  test.each([
    {
      name: "the registry of the image",
      auths: { "https://reg.example:5000": login("a"), "other.example": login("b") },
      image: "reg.example:5000/x/y:1",
      expected: ["a"],
    },
  ])("$name", ({ auths, image, expected }) => expect(users(auths, image)).toEqual(expected));

  test("a password may have colons; a Secret of another type has no credentials; rubbish is reported without its text", () => {
    expect(loginsOf(secret({ r: login("a") }))).toEqual([{ place: "r", username: "a", password: "pa:ss" }]);
    expect(loginsOf({ type: "Opaque", data: { ".dockerconfigjson": "e30=" } })).toEqual([]);
    expect(() => loginsOf({ type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64("hunter2") } })).toThrow(
      /^its credentials are no JSON$/,
    );
  });

  test("the older form has no `auths` around it", () => {
    const data = { ".dockercfg": base64(JSON.stringify({ r: login("a") })) };
    expect(loginsOf({ type: "kubernetes.io/dockercfg", data })).toMatchObject([{ place: "r", username: "a" }]);
    expect(loginsOf({ type: "kubernetes.io/dockerconfigjson", data })).toEqual([]);
  });

  test.each(["kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg"])(
    "a Secret of type %s without its key has none",
    (type) => {
      expect(loginsOf({ type })).toEqual([]);
    },
  );

  test("a configuration that is no object has none", () => {
    expect(loginsOf({ type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": base64("null") } })).toEqual(
      [],
    );
  });
});

describe("a token is renewed", () => {
  const hour = 3600;
  test.each([
    { name: "not before 80 % of its life", seconds: hour, age: 0.79 * hour, random: 0, expected: false },
    { name: "after 80 %", seconds: hour, age: 0.8 * hour + 1, random: 0, expected: true },
    { name: "up to ten seconds earlier", seconds: hour, age: 0.8 * hour - 8, random: 0.99, expected: true },
    { name: "not at 80 % to the second", seconds: hour, age: 0.8 * hour, random: 0, expected: false },
    { name: "no more than ten seconds earlier", seconds: hour, age: 0.8 * hour - 10, random: 0.99, expected: false },
    { name: "after a day, however long it lives", seconds: 100 * hour, age: 24 * hour + 1, random: 0, expected: true },
    { name: "not before that day", seconds: 100 * hour, age: 24 * hour, random: 0, expected: false },
    {
      name: "up to ten seconds before that day is over",
      seconds: 100 * hour,
      age: 24 * hour - 8,
      random: 0.99,
      expected: true,
    },
  ])("$name", ({ seconds, age, random, expected }) => {
    expect(needsRefresh({ expires: seconds * 1000, seconds }, age * 1000, random)).toBe(expected);
  });
});

test("a token has expired once its time is over, not at it", () => {
  expect([999, 1000, 1001].map((now) => expired({ expires: 1000, seconds: 1 }, now))).toEqual([false, false, true]);
});

test("places below a volume where another one is mounted: the outermost of each container", () => {
  const mounts = (...paths: [string, string][]) => paths.map(([name, mountPath]) => ({ name, mountPath }));
  const pod = aPod({
    containers: [
      { volumeMounts: mounts(["v", "/etc/v"], ["w", "/etc/v/a/b"], ["w", "/etc/v/a/b/c"], ["w", "/etc/vv"]) },
      { name: "other", volumeMounts: mounts(["v", "/x"], ["w", "/x/y"]) },
    ],
  });
  expect(nestedMountpoints(pod, "v")).toEqual(["a/b", "y"]);
  expect(nestedMountpoints(pod, "w")).toEqual(["c"]);
});

test("a path that is not absolute, which the API lets through, is one from the root, and never leads out of the volume", () => {
  const volumeMounts = [
    { name: "v", mountPath: ".." },
    { name: "w", mountPath: "../../../../etc/made" },
    { name: "w", mountPath: "srv/../../../var/made" },
  ];
  expect(nestedMountpoints(aPod({ containers: [{ volumeMounts }] }), "v")).toEqual(["etc/made", "var/made"]);
});

test("init containers mount as well, a path is the same however it is written, and a container without mounts has none", () => {
  const pod = aPod({
    containers: [{}],
    spec: {
      initContainers: [
        {
          name: "init",
          image: "app:1",
          volumeMounts: [
            { name: "w", mountPath: "/a/v/z/" },
            { name: "w", mountPath: "/a/v/b/c" },
            { name: "v", mountPath: "/a//v/" },
            { name: "w", mountPath: "/a/v/b" },
          ],
        },
      ],
    },
  });
  expect(nestedMountpoints(pod, "v")).toEqual(["b", "z"]);
});
