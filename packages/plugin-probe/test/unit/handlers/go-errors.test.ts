import { describe, expect, test } from "@jest/globals";
import { dialError, dialTimeout, exchangeError, invalidPort } from "../../../src/handlers/go-errors.js";
import { headerFault, headerMap, wireHeaders } from "../../../src/handlers/http-headers.js";
import { probeUrl, targetOf, urlText } from "../../../src/handlers/target.js";
import { collectOutput, MAX_OUTPUT } from "../../../src/handlers/verdict.js";

const failed = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`node says ${code}`), { code, ...more });

describe("an error before the connection was open has the text of Go's net package", () => {
  test.each([
    { code: "ECONNREFUSED", text: "dial tcp 10.0.0.1:80: connect: connection refused" },
    { code: "EHOSTUNREACH", text: "dial tcp 10.0.0.1:80: connect: no route to host" },
    { code: "ENETUNREACH", text: "dial tcp 10.0.0.1:80: connect: network is unreachable" },
    { code: "ETIMEDOUT", text: "dial tcp 10.0.0.1:80: connect: connection timed out" },
    { code: "EADDRNOTAVAIL", text: "dial tcp 10.0.0.1:80: connect: cannot assign requested address" },
    { code: "ECONNRESET", text: "dial tcp 10.0.0.1:80: connect: connection reset by peer" },
    { code: "EMFILE", text: "dial tcp 10.0.0.1:80: socket: too many open files" },
    { code: "EOTHER", text: "dial tcp 10.0.0.1:80: node says EOTHER" },
    { code: "ENOTFOUND", text: "dial tcp: lookup 10.0.0.1: no such host" },
    { code: "EAI_AGAIN", text: "dial tcp: lookup 10.0.0.1: no such host" },
  ])("$code", ({ code, text }) => {
    expect(dialError(failed(code), "10.0.0.1", 80)).toBe(text);
  });

  test("with the address that was really tried, the first one of several", () => {
    const several = new AggregateError([
      failed("ECONNREFUSED", { address: "::1", port: 81 }),
      failed("EHOSTUNREACH", { address: "127.0.0.1", port: 81 }),
    ]);
    expect(dialError(several, "localhost", 80)).toBe("dial tcp [::1]:81: connect: connection refused");
    expect(dialError(new AggregateError([], "none"), "localhost", 80)).toBe("dial tcp localhost:80: none");
    expect(dialError(new Error("boom"), "localhost", 80)).toBe("dial tcp localhost:80: boom");
  });

  test("a time that is over, and a port that is none", () => {
    expect(dialTimeout("fd00::1", 80)).toBe("dial tcp [fd00::1]:80: i/o timeout");
    expect(invalidPort(70_000)).toBe("dial tcp: address 70000: invalid port");
  });
});

describe("an error once the connection stood", () => {
  const ends = "10.0.0.2:4000->10.0.0.1:80";
  test.each([
    { name: "a server that hangs up", error: failed("ECONNRESET", { message: "socket hang up" }), text: "EOF" },
    { name: "a reset", error: failed("ECONNRESET"), text: `read tcp ${ends}: read: connection reset by peer` },
    { name: "a pipe that broke", error: failed("EPIPE"), text: `write tcp ${ends}: write: broken pipe` },
    {
      name: "headers without end",
      error: failed("HPE_HEADER_OVERFLOW"),
      text: "net/http: server response headers exceeded 1048576 bytes; aborted",
    },
    {
      name: "what is no HTTP",
      error: failed("HPE_INVALID_CONSTANT"),
      text: "net/http: HTTP/1.x transport connection broken: malformed HTTP response (node says HPE_INVALID_CONSTANT)",
    },
    {
      name: "HTTP where TLS was asked for, by its code",
      error: failed("ERR_SSL_WRONG_VERSION_NUMBER"),
      text: "http: server gave HTTP response to HTTPS client",
    },
    {
      name: "HTTP where TLS was asked for, by its text",
      error: new Error("ssl3_get_record:wrong version number"),
      text: "http: server gave HTTP response to HTTPS client",
    },
    {
      name: "a record of TLS that is too long",
      error: failed("ERR_SSL_PACKET_LENGTH_TOO_LONG"),
      text: "http: server gave HTTP response to HTTPS client",
    },
    { name: "anything else in its own words", error: failed("EOTHER"), text: "node says EOTHER" },
    {
      name: "several: the first",
      error: new AggregateError([failed("EPIPE"), failed("EOTHER")]),
      text: `write tcp ${ends}: write: broken pipe`,
    },
  ])("$name", ({ error, text }) => {
    expect(exchangeError(error, ends)).toBe(text);
  });
});

describe("the output of an exec probe", () => {
  test("is both streams one after the other", () => {
    expect(collectOutput(Buffer.from("out"), Buffer.from("err"))).toBe("outerr");
    expect(collectOutput(Buffer.from("out"), Buffer.alloc(0))).toBe("out");
  });

  test("is cut at 10 KiB, whichever stream they come from", () => {
    expect(collectOutput(Buffer.alloc(MAX_OUTPUT + 5, "o"), Buffer.from("err"))).toBe("o".repeat(10_240));
    expect(collectOutput(Buffer.alloc(MAX_OUTPUT - 1, "o"), Buffer.from("err"))).toBe(`${"o".repeat(10_239)}e`);
    expect(collectOutput(Buffer.from("abc"), Buffer.from("def"), 4)).toBe("abcd");
  });
});

describe("headers", () => {
  test("are written as Go writes them, repeats in order", () => {
    expect(
      headerMap([
        { name: "x-REQUEST-id", value: "1" },
        { name: "X-Request-Id", value: "2" },
        { name: "with space", value: "3" },
        { value: "4" },
        { name: "a-1b" },
      ]),
    ).toEqual({ "X-Request-Id": ["1", "2"], "with space": ["3"], "": ["4"], "A-1b": [""] });
    expect(headerMap()).toEqual({});
  });

  test("User-Agent and Accept are the kubelet's, custom ones, or none where they are given empty", () => {
    expect(wireHeaders({}).headers).toEqual({ "User-Agent": ["kube-probe/1.36"], Accept: ["*/*"] });
    expect(wireHeaders({ "User-Agent": [""], Accept: [""], "X-Empty": [""] }).headers).toEqual({ "X-Empty": [""] });
    expect(wireHeaders({ Accept: ["text/html"] }).headers.Accept).toEqual(["text/html"]);
  });

  test("Host is the request's, Connection is the client's own business", () => {
    const { headers, host } = wireHeaders({ Host: ["web.example", "other"], Connection: ["keep-alive"] });
    expect([host, Object.keys(headers)]).toEqual(["web.example", ["User-Agent", "Accept"]]);
    expect(wireHeaders({ Host: [""] }).host).toBeUndefined();
    expect(wireHeaders({}).host).toBeUndefined();
  });

  test.each([
    {
      name: "a name with a blank",
      headers: { "a b": ["x"] },
      host: "h",
      fault: 'net/http: invalid header field name "a b"',
    },
    { name: "no name", headers: { "": ["x"] }, host: "h", fault: 'net/http: invalid header field name ""' },
    {
      name: "a line's end in a value",
      headers: { A: ["x", "y\r\nB: z"] },
      host: "h",
      fault: 'net/http: invalid header field value for "A"',
    },
    {
      name: "a DEL in a value",
      headers: { A: ["\x7f"] },
      host: "h",
      fault: 'net/http: invalid header field value for "A"',
    },
    {
      name: "a NUL in a value",
      headers: { A: ["\0"] },
      host: "h",
      fault: 'net/http: invalid header field value for "A"',
    },
    { name: "a host with a path", headers: {}, host: "a/b", fault: "http: invalid Host header" },
    { name: "a host with a blank before it", headers: {}, host: " a", fault: "http: invalid Host header" },
    { name: "a tab, and letters of any language", headers: { A: ["x\ty é"] }, host: "[::1]:80", fault: undefined },
  ])("Go's client refuses or sends $name", ({ headers, host, fault }) => {
    expect(headerFault(headers, host)).toBe(fault);
  });
});

describe("where a probe goes", () => {
  test("the scheme is lower case, HTTP by default; an explicit host wins over the pod's address", () => {
    const target = (httpGet: object) => targetOf({ httpGet: { port: 80, ...httpGet } }, "10.0.0.1", []);
    expect(target({})).toEqual({ kind: "http", scheme: "http", host: "10.0.0.1", port: 80, path: "" });
    expect(target({ scheme: "HTTPS", host: "web.example", path: "/x" })).toEqual({
      kind: "http",
      scheme: "https",
      host: "web.example",
      port: 80,
      path: "/x",
    });
    expect(target({ scheme: "", host: "" })).toMatchObject({ scheme: "http", host: "10.0.0.1" });
  });

  test("gRPC goes to the pod, its service may be none; exec goes nowhere", () => {
    expect(targetOf({ grpc: { port: 90 } }, "10.0.0.1", [])).toEqual({
      kind: "grpc",
      host: "10.0.0.1",
      port: 90,
      service: "",
    });
    expect(targetOf({ grpc: { port: 90, service: "db" } }, "10.0.0.1", [])).toMatchObject({ service: "db" });
    expect(targetOf({ exec: { command: ["true"] } }, "10.0.0.1", [])).toBeUndefined();
    expect(targetOf({ tcpSocket: { port: 91, host: "" } }, "10.0.0.1", [])).toEqual({
      kind: "tcp",
      host: "10.0.0.1",
      port: 91,
    });
  });

  const url = (path: string): string => urlText(probeUrl({ scheme: "http", host: "h", port: 1, path }));

  test.each([
    { path: "", text: "http://h:1" },
    { path: "health", text: "http://h:1/health" },
    { path: "/a b?c=d e#f", text: "http://h:1/a%20b?c=d%20e#f" },
    { path: "/100%", text: "http://h:1/100%25" },
    { path: "/a%2Fb", text: "http://h:1/a%2Fb" },
    { path: "/ä", text: "http://h:1/%C3%A4" },
    { path: "https://other.example:5/x?y", text: "http://h:1/x?y" },
    { path: "//other.example/x", text: "http://h:1/x" },
    { path: '/"<>', text: "http://h:1/%22%3C%3E" },
    { path: "/\n?x", text: "http://h:1/%0A%3Fx" },
  ])("the path $path is asked for as $text", ({ path, text }) => {
    expect(url(path)).toBe(text);
  });
});
