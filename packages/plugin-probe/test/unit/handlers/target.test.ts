/** Where a probe goes. */
import { describe, expect, test } from "@jest/globals";
import { findPort, joinHostPort, probeUrl, targetOf, urlText } from "../../../src/handlers/target.js";
import { collectOutput } from "../../../src/handlers/verdict.js";

const ports = [
  { name: "web", containerPort: 8080 },
  { name: "odd", containerPort: 70_000 },
  { name: "81", containerPort: 8181 },
];

describe("a port", () => {
  test.each([
    { name: "by number", port: 80, found: { value: 80 } },
    { name: "the last there is", port: 65_535, found: { value: 65_535 } },
    { name: "beyond the last", port: 65_536, found: { value: 65_536, error: "invalid port number: 65536" } },
    { name: "none", port: 0, found: { value: 0, error: "invalid port number: 0" } },
    { name: "by name", port: "web", found: { value: 8080 } },
    { name: "by a name that is a number: the name counts", port: "81", found: { value: 8181 } },
    { name: "as text", port: "80", found: { value: 80 } },
    { name: "as text with a sign", port: "+80", found: { value: 80 } },
    { name: "below none, as text", port: "-80", found: { value: -80, error: "invalid port number: -80" } },
    {
      name: "of a name whose port is none",
      port: "odd",
      found: { value: 70_000, error: "invalid port number: 70000" },
    },
  ])("$name", ({ port, found }) => {
    expect(findPort(port, ports)).toEqual(found);
  });

  test.each(["none", "80x", "x80", "8 0", "", "x", "0x50", "8.5", "1234567890"])(
    "%j is no port's name or number",
    (port) => {
      const error = `strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`;
      expect(findPort(port, ports)).toEqual({ value: 0, error });
      expect(findPort(port, undefined)).toEqual({ value: 0, error });
    },
  );

  test.each([undefined, null, {}])("%j is nothing that could be one", (port) => {
    expect(findPort(port, ports)).toMatchObject({
      value: -1,
      error: expect.stringContaining("intOrString had no kind"),
    });
  });
});

describe("a probe goes", () => {
  test("to the pod's address, or the host that it names", () => {
    expect(targetOf({ httpGet: { port: "web" } }, "10.0.0.1", ports)).toEqual({
      kind: "http",
      scheme: "http",
      host: "10.0.0.1",
      port: 8080,
      path: "",
    });
    const httpGet = { port: 1, host: "h", scheme: "HTTPS", path: "/x" };
    expect(targetOf({ httpGet }, "10.0.0.1", ports)).toMatchObject({ scheme: "https", host: "h", path: "/x" });
    expect(targetOf({ tcpSocket: { port: 1 } }, "10.0.0.1", ports)).toEqual({ kind: "tcp", host: "10.0.0.1", port: 1 });
    expect(targetOf({ tcpSocket: { port: 1, host: "h" } }, "10.0.0.1", ports)).toMatchObject({ host: "h" });
    expect(targetOf({ exec: { command: [] } }, "10.0.0.1", ports)).toBeUndefined();
  });

  test("of gRPC by number alone: names of ports mean nothing there", () => {
    const to = (port: number | string) => targetOf({ grpc: { port: port as number } }, "10.0.0.1", ports);
    expect(to(5)).toEqual({ kind: "grpc", host: "10.0.0.1", port: 5, service: "" });
    expect(() => to("web")).toThrow('parsing "web"');
  });

  test("to an address of the new kind in brackets", () => {
    expect([joinHostPort("fd00::1", 80), joinHostPort("10.0.0.1", 80)]).toEqual(["[fd00::1]:80", "10.0.0.1:80"]);
  });

  test.each([
    { path: "", text: "" },
    { path: "x", text: "/x" },
    { path: "/a?b=c#d", text: "/a?b=c#d" },
    { path: "/a?b=ü", text: "/a?b=%C3%BC" },
    { path: "//other/a", text: "/a" },
    { path: "http://other/a", text: "/a" },
    { path: "a//b", text: "/a//b" },
    { path: "/a%2fb", text: "/a%2fb" },
    { path: "/a%zz?b", text: "/a%25zz%3Fb" },
    { path: "/a%2", text: "/a%252" },
    { path: "/a\tb", text: "/a%09b" },
    { path: "/a b", text: "/a%20b" },
  ])("the path $path is asked for as $text, host and port stay", ({ path, text }) => {
    expect(urlText(probeUrl({ scheme: "http", host: "h", port: 1, path }))).toBe(`http://h:1${text}`);
  });
});

test.each([
  { name: "both", limit: 10, text: "outerr" },
  { name: "to the byte", limit: 6, text: "outerr" },
  { name: "cut in the second", limit: 4, text: "oute" },
  { name: "none of the second", limit: 3, text: "out" },
  { name: "cut in the first", limit: 2, text: "ou" },
])("what a command writes is one text, the first stream before the second: $name", ({ limit, text }) => {
  expect(collectOutput(Buffer.from("out"), Buffer.from("err"), limit)).toBe(text);
});
