import { describe, expect, test } from "@jest/globals";
import { parseHostsToml } from "../../../src/pull/hosts-toml.js";

const FILE = "/etc/containerd/certs.d/docker.io/hosts.toml";
const hosts = (text: string, registry = "docker.io") => parseHostsToml(text, FILE, registry);
const plain = { insecure: false, onlyDigests: false, ca: [], client: [] };

describe("hosts.toml", () => {
  test("mirrors come in the order of the file, the server at last", () => {
    const text = `server = "https://registry-1.docker.io"
[host."https://z.example:5000"]
  capabilities = ["pull", "resolve"]
[host."http://a.example/v2"]
  capabilities = ["Pull"]
`;
    expect(hosts(text)).toEqual([
      { ...plain, location: "z.example:5000" },
      { ...plain, location: "a.example", insecure: true, onlyDigests: true },
      { ...plain, location: "registry-1.docker.io" },
    ]);
  });

  test("without a server the registry itself comes last, with the settings at the top", () => {
    expect(hosts('ca = "ca.crt"\nskip_verify = true', "r.example:5000")).toEqual([
      { ...plain, location: "r.example:5000", insecure: true, ca: ["/etc/containerd/certs.d/docker.io/ca.crt"] },
    ]);
  });

  test("a host that may only be pushed to is left out", () => {
    expect(hosts('[host."https://m.example"]\ncapabilities = ["push"]')).toEqual([{ ...plain, location: "docker.io" }]);
    expect(() => hosts('capabilities = ["push"]')).toThrow(`${FILE}: no host of docker.io has the capability pull`);
  });

  test("certificates: one file, several, and pairs; paths are the file's own", () => {
    const [host] = hosts('ca = ["/a.crt", "b.crt"]\nclient = ["both.pem", ["c.cert", "c.key"]]');
    const below = "/etc/containerd/certs.d/docker.io";
    expect(host.ca).toEqual(["/a.crt", `${below}/b.crt`]);
    expect(host.client).toEqual([
      [`${below}/both.pem`, `${below}/both.pem`],
      [`${below}/c.cert`, `${below}/c.key`],
    ]);
  });

  test("a path below /v2 is part of the name", () => {
    const [host] = hosts('[host."https://h.example/v2/proxy"]\noverride_path = true');
    expect(host.location).toBe("h.example/proxy");
  });

  test.each([
    ["no TOML", "server =", /it is no TOML: /],
    ["another type", "server = 5", /expected string/],
    ["an unknown capability", 'capabilities = ["fly"]', /capabilities/],
    ["no URL", 'server = "https://"', /"https:\/\/" is no URL/],
    ["a path that skopeo cannot ask for", '[host."https://h.example/proxy"]', /below \/v2 alone/],
    ["headers", '[host."https://h.example".header]\nx = "y"', /remove `header`/],
  ])("is refused by its name: %s", (_name, text, message) => {
    expect(() => hosts(text)).toThrow(message);
    expect(() => hosts(text)).toThrow(FILE);
  });

  test.each(["localhost:5000", "127.0.0.1:5000", "[::1]:5000"])("%s needs no certificate, as in containerd", (name) => {
    expect(hosts("", name)[0].insecure).toBe(true);
  });
});
