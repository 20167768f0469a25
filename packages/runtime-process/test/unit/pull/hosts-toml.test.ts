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

  test.each([
    ["h.example", false, "h.example", false],
    ["https://h.example/", false, "h.example", false],
    ["https://h.example/v2/", false, "h.example", false],
    ["http://h.example:80/v2", false, "h.example", true],
    ["https://localhost:5000", false, "localhost:5000", false],
    ["https://h.example/v2", true, "h.example", false],
    ["https://h.example/v2//proxy/", true, "h.example/proxy", false],
  ])("%s, override_path %s: images come from %s", (url, isWhole, location, insecure) => {
    expect(hosts(`server = "${url}"\noverride_path = ${isWhole}`)).toEqual([{ ...plain, location, insecure }]);
  });

  test.each([
    ["no TOML", "server =", /it is no TOML: /],
    ["another type", "server = 5", /expected string/],
    ["an unknown capability", 'capabilities = ["fly"]', /capabilities/],
    ["no URL", 'server = "https://"', /"https:\/\/" is no URL/],
    ["a path that skopeo cannot ask for", '[host."https://h.example/proxy"]', /below \/v2 alone/],
    ["a path that override_path should go with", 'server = "https://h.example/v2/proxy"', /below \/v2 alone/],
    ["no path, with override_path", 'server = "https://h.example"\noverride_path = true', /below \/v2 alone/],
    ["a path outside /v2", 'server = "https://h.example/v2x/a"\noverride_path = true', /below \/v2 alone/],
    ["headers", '[host."https://h.example".header]\nx = "y"', /remove `header`/],
  ])("is refused by its name: %s", (_name, text, message) => {
    expect(() => hosts(text)).toThrow(message);
    expect(() => hosts(text)).toThrow(FILE);
  });

  test.each(["localhost:5000", "127.0.0.1:5000", "[::1]:5000"])("%s needs no certificate, as in containerd", (name) => {
    expect(hosts("", name)[0].insecure).toBe(true);
  });

  test.each(["localhost.example", "my.localhost", "127.0.0.1.example", "1.127.0.0.1", "127.0.0", "[::2]:5000"])(
    "%s is another machine, and needs one",
    (name) => expect(hosts("", name)).toEqual([{ ...plain, location: name }]),
  );
});
