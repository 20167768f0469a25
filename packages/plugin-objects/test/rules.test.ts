import { loginsFor } from "@hooklet/core/rules";
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { loginsOf, needsRefresh, nestedMountpoints, serviceEnv } from "../src/index.js";

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
      name: "other namespaces are not told",
      links: true,
      services: [master, service("other", "x", "10.0.0.2", [{ port: 1 }])],
      hosts: ["KUBERNETES_SERVICE_HOST"],
    },
    {
      name: "headless ones are not told",
      links: true,
      services: [service("team", "x", "None", [{ port: 1 }])],
      hosts: [],
    },
  ])("$name", ({ links, services, hosts }) => {
    expect(Object.keys(serviceEnv(services, "team", links)).filter((key) => key.endsWith("_HOST"))).toEqual(hosts);
  });
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
    {
      name: "the most specific place first",
      auths: { "reg.example": login("a"), "reg.example/x": login("b") },
      image: "reg.example/x/y",
      expected: ["b", "a"],
    },
    {
      name: "another path does not fit",
      auths: { "reg.example/z": login("a") },
      image: "reg.example/x/y",
      expected: [],
    },
    {
      name: "stars stand for a part of the host",
      auths: { "*.example": login("a") },
      image: "reg.example/x",
      expected: ["a"],
    },
    { name: "a star is no dot", auths: { "*.example": login("a") }, image: "a.b.example/x", expected: [] },
    {
      name: "docker's own name of its registry",
      auths: { "https://index.docker.io/v1/": login("a") },
      image: "busybox",
      expected: ["a"],
    },
  ])("$name", ({ auths, image, expected }) => expect(users(auths, image)).toEqual(expected));

  test("a password may have colons; a Secret of another type has no credentials; rubbish is told without its text", () => {
    expect(loginsOf(secret({ r: login("a") }))).toEqual([{ place: "r", username: "a", password: "pa:ss" }]);
    expect(loginsOf({ type: "Opaque", data: { ".dockerconfigjson": "e30=" } })).toEqual([]);
    expect(() => loginsOf({ type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64("hunter2") } })).toThrow(
      /^its credentials are no JSON$/,
    );
  });
});

describe("a token is renewed", () => {
  const hour = 3600;
  test.each([
    { name: "not before 80 % of its life", seconds: hour, age: 0.79 * hour, random: 0, expected: false },
    { name: "after 80 %", seconds: hour, age: 0.8 * hour + 1, random: 0, expected: true },
    { name: "up to ten seconds earlier", seconds: hour, age: 0.8 * hour - 8, random: 0.99, expected: true },
    { name: "after a day, however long it lives", seconds: 100 * hour, age: 24 * hour + 1, random: 0, expected: true },
  ])("$name", ({ seconds, age, random, expected }) => {
    expect(needsRefresh({ expires: seconds * 1000, seconds }, age * 1000, random)).toBe(expected);
  });
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
