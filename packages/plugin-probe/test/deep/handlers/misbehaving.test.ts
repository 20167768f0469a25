/** Probes of real servers that behave badly: each gets a verdict in its time, and nothing stays open. */
import { readdirSync } from "node:fs";
import { constants, createServer as createH2Server, type ServerHttp2Stream } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Server } from "node:net";
import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { systemClock } from "@hooklet/utils";
import { afterEach, describe, expect, test } from "@jest/globals";
import { grpcProbe, headerMap, httpProbe, probeUrl, tcpProbe } from "../../../src/internal.js";
import { badCertificate, closeServers, frozenServer, listen, redirect, says, serve } from "../../real/servers.js";

/** For servers that answer, however busy the machine is; and for those that do not. */
const GENEROUS = 10_000;
const SHORT = 500;
/** A closed port that the system gives to no program that asks for any. */
const CLOSED = 1;

const http = (port: number, { scheme = "http", host = "127.0.0.1", path = "/", milliseconds = GENEROUS } = {}) =>
  httpProbe(systemClock, {
    url: probeUrl({ scheme, host, port, path }),
    headers: headerMap([]),
    timeoutMilliseconds: milliseconds,
  });

const tcp = (port: number, host = "127.0.0.1", timeoutMilliseconds = GENEROUS) =>
  tcpProbe(systemClock, { host, port, timeoutMilliseconds });

afterEach(closeServers);

const openFiles = (): number => readdirSync("/proc/self/fd").length;

/** Waits until no more files are open than then: what was closed is gone a moment later, a leak never. */
async function noMoreFiles(than: number): Promise<void> {
  for (let tries = 0; tries < 1_000 && openFiles() > than; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(openFiles()).toBeLessThanOrEqual(than);
}

describe("HTTP: a header that no client can send", () => {
  const probe = (port: number, headers: { name: string; value: string }[]) =>
    httpProbe(systemClock, {
      url: probeUrl({ scheme: "http", host: "127.0.0.1", port, path: "/" }),
      headers: headerMap(headers),
      timeoutMilliseconds: GENEROUS,
    });

  describe.each([
    ["a closed port", async () => CLOSED],
    ["a server that answers", () => serve((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))],
  ])("on %s", (_where, start) => {
    test.each([
      ["a line break", { name: "X-A", value: "a\r\nX-B: b" }, 'net/http: invalid header field value for "X-A"'],
      ["a NUL", { name: "X-A", value: "\0" }, 'net/http: invalid header field value for "X-A"'],
      ["a name with a blank", { name: "X A", value: "a" }, 'net/http: invalid header field name "X A"'],
      ["a Host with a blank", { name: "Host", value: "a b" }, "http: invalid Host header"],
      ["a Host beyond ASCII", { name: "Host", value: "\u20ac" }, "http: invalid Host header"],
    ])("%s fails the probe in Go's words, and nothing else", async (_what, header, why) => {
      const port = await start();
      expect(await probe(port, [header])).toEqual({
        result: "failure",
        output: `Get "http://127.0.0.1:${port}/": ${why}`,
      });
    });
  });

  test("a value beyond Latin-1 goes out as its UTF-8", async () => {
    let seen = Buffer.alloc(0);
    const port = await serve((socket) => {
      socket.on("data", (data) => {
        seen = Buffer.concat([seen, data]);
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      });
    });
    expect(await probe(port, [{ name: "X-Price", value: "5 \u20ac" }])).toMatchObject({ result: "success" });
    expect(seen.toString("utf8")).toContain("X-Price: 5 \u20ac");
  });
});

describe("HTTP: a server that", () => {
  test("never answers", async () => {
    const port = await serve(() => {});
    expect(await http(port, { milliseconds: SHORT })).toEqual({
      result: "failure",
      output: `Get "http://127.0.0.1:${port}/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    });
  });

  test("answers, and then sends one byte at a time, without end", async () => {
    const port = await serve((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await http(port, { milliseconds: 5_000 })).toEqual({
      result: "failure",
      output: "",
      error: "context deadline exceeded (Client.Timeout or context cancellation while reading body)",
    });
  });

  test("closes at once", async () => {
    const port = await serve((socket) => socket.destroy());
    expect(await http(port)).toMatchObject({
      result: "failure",
      output: expect.stringMatching(/: (EOF|read tcp .*reset by peer)$/),
    });
  });

  test("resets", async () => {
    const port = await serve((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect((await http(port)).output).toMatch(
      /^Get "http:\/\/127\.0\.0\.1:\d+\/": read tcp 127\.0\.0\.1:\d+->127\.0\.0\.1:\d+: read: connection reset by peer$/,
    );
  });

  test("sends a body without end: the first 10 KiB are enough", async () => {
    const port = await serve((socket) => {
      const pour = (): void => {
        while (socket.writable && socket.write("x".repeat(65_536)));
      };
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.on("drain", pour);
        pour();
      });
    });
    const { result, output } = await http(port);
    expect([result, output.length]).toEqual(["success", 10_240]);
  });

  test("redirects forever", async () => {
    let asked = 0;
    const port = await serve((socket) =>
      socket.once("data", () => {
        asked++;
        socket.end(redirect("/"));
      }),
    );
    expect(await http(port)).toMatchObject({
      result: "failure",
      output: expect.stringMatching(/: stopped after 10 redirects$/),
    });
    expect(asked).toBe(10);
  });

  test("redirects to another host: not followed, which is a warning", async () => {
    const port = await says(redirect("http://example.com/"));
    expect(await http(port)).toEqual({ result: "warning", output: "Probe terminated redirects, Response body: gone" });
  });

  test("has an untrusted certificate: it is not verified", async () => {
    const server = createHttpsServer(badCertificate(), (_, response) => response.end("fine"));
    expect(await http(await listen(server as Server), { scheme: "https" })).toEqual({
      result: "success",
      output: "fine",
    });
  });

  test("speaks no TLS where it should", async () => {
    const port = await says("HTTP/1.1 400 Bad Request\r\n\r\n");
    expect((await http(port, { scheme: "https" })).output).toMatch(
      /: http: server gave HTTP response to HTTPS client$/,
    );
  });

  test("begins a TLS handshake and stays silent", async () => {
    const port = await serve(() => {});
    expect(await http(port, { scheme: "https", milliseconds: SHORT })).toMatchObject({ result: "failure" });
  });

  test("sends headers without end", async () => {
    const port = await serve((socket) => {
      const pour = (): void => {
        while (socket.writable && socket.write(`X-Bomb: ${"x".repeat(8_000)}\r\n`));
      };
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n");
        socket.on("drain", pour);
        pour();
      });
    });
    expect(await http(port)).toMatchObject({
      result: "failure",
      output: expect.stringContaining("server response headers exceeded 1048576 bytes; aborted"),
    });
  });

  test("is no HTTP server", async () => {
    const port = await says("SSH-2.0-OpenSSH_9.6\r\n");
    expect((await http(port)).output).toContain("malformed HTTP response");
  });

  test("closes in the middle of the body", async () => {
    const port = await says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    expect(await http(port)).toEqual({ result: "failure", output: "", error: "unexpected EOF" });
  });

  test("is not there", async () => {
    expect(await http(CLOSED)).toEqual({
      result: "failure",
      output: 'Get "http://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused',
    });
  });

  test("has an IPv6 address: it stands in brackets, also in the Host header", async () => {
    let host = "";
    const port = await serve((socket) => {
      socket.once("data", (data) => {
        host = /Host: (.*)\r\n/.exec(String(data))?.[1] ?? "";
        socket.end("HTTP/1.1 200 OK\r\n\r\n");
      });
    }, "::1");
    expect(await http(port, { host: "::1" })).toMatchObject({ result: "success" });
    expect(host).toBe(`[::1]:${port}`);
  });

  test("speaks HTTP/2 without TLS only", async () => {
    const port = await listen(createH2Server((_, response) => response.end("two")) as unknown as Server);
    expect((await http(port)).result).toBe("failure");
  });
});

test("the proxy settings of the node are ignored", async () => {
  const port = await says("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect");
  const proxy = `http://127.0.0.1:${await says("HTTP/1.1 500 Proxied\r\n\r\n")}`;
  const before = { ...process.env };
  Object.assign(process.env, { HTTP_PROXY: proxy, http_proxy: proxy, NODE_USE_ENV_PROXY: "1" });
  try {
    expect(await http(port)).toEqual({ result: "success", output: "direct" });
  } finally {
    for (const name of ["HTTP_PROXY", "http_proxy", "NODE_USE_ENV_PROXY"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
});

describe("an agent that had no processor until the time was over", () => {
  /** As on a machine that gives it to others. */
  function heldUp(milliseconds: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  }

  /** Node calls connect(2) in a tick of its own; the kernel may shake hands a moment after it. */
  async function connectCalled(): Promise<void> {
    for (let tick = 0; tick < 5; tick += 1) await new Promise<void>((resolve) => process.nextTick(resolve));
  }

  test("takes a connection that stands meanwhile for what it is", async () => {
    const port = await serve(() => {});
    const attempt = tcp(port, "127.0.0.1", 100);
    await connectCalled();
    heldUp(300);
    expect(await attempt).toEqual({ result: "success", output: "" });
  });

  test("knows that an answer was missing, not the connection", async () => {
    const port = await serve(() => {});
    const attempt = http(port, { milliseconds: 100 });
    await connectCalled();
    heldUp(300);
    expect((await attempt).output).toContain("(Client.Timeout exceeded while awaiting headers)");
    expect((await attempt).output).not.toContain("dial tcp");
  });
});

describe("TCP", () => {
  test("a connection is enough, and the server reads a clean end of file", async () => {
    const ended = new Promise((resolve) => {
      void serve((socket) =>
        socket
          .resume()
          .on("end", () => resolve("end"))
          .on("error", resolve),
      )
        .then(tcp)
        .then((attempt) => expect(attempt).toEqual({ result: "success", output: "" }));
    });
    expect(await ended).toBe("end");
  });

  test("a server that takes no connections any more: the dial times out", async () => {
    const { port, end } = await frozenServer();
    try {
      // The system itself takes a few, as many as the server would let wait.
      const attempts = [];
      for (let i = 0; i < 5; i++) attempts.push(await tcp(port, "127.0.0.1", i === 0 ? GENEROUS : SHORT));
      expect(attempts[0]).toEqual({ result: "success", output: "" });
      expect(attempts[4]).toEqual({ result: "failure", output: `dial tcp 127.0.0.1:${port}: i/o timeout` });
    } finally {
      end();
    }
  });

  test("a half-open server, which never ends its side, holds nothing of ours", async () => {
    const port = await serve((socket) => socket.pause());
    const before = openFiles();
    for (let i = 0; i < 50; i++) expect((await tcp(port)).result).toBe("success");
    await closeServers();
    await noMoreFiles(before);
  });
});

const resets = (stream: ServerHttp2Stream) => stream.close(constants.NGHTTP2_CANCEL);
const hangsUp = (stream: ServerHttp2Stream) => stream.session?.destroy();
const isWeb = (stream: ServerHttp2Stream) => {
  stream.respond({ ":status": 200, "content-type": "text/html" });
  stream.end("<html>");
};
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const GRPC = { ":status": 200, "content-type": "application/grpc" };
const endsWithData = (stream: ServerHttp2Stream) => {
  stream.respond({ ...GRPC, "grpc-status": "0" });
  stream.end(SERVING);
};
const refuses = (stream: ServerHttp2Stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);
const serves = (stream: ServerHttp2Stream) => {
  stream.respond(GRPC, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(SERVING);
};
const floods = (stream: ServerHttp2Stream) => {
  stream.respond({ ":status": 200, "content-type": "application/grpc" });
  const more = (): void => {
    while (!stream.destroyed && stream.write(Buffer.alloc(16 * 1024)));
  };
  stream.on("drain", more);
  more();
};

describe("gRPC", () => {
  /** An address of this machine that no other test has. */
  const OWN = "127.0.0.77";
  const grpc = (port: number, timeoutMilliseconds: number, tls = false, host = "127.0.0.1") =>
    grpcProbe(systemClock, { host, port, service: "", timeoutMilliseconds, tls });

  test.each([
    { name: "never answers", answer: () => {} },
    { name: "closes at once", answer: (socket: { destroy(): void }) => socket.destroy() },
  ])("a server that $name is a failure within the timeout", async ({ answer }) => {
    const port = await serve(answer);
    expect(await grpc(port, 400)).toEqual({
      result: "failure",
      output: `timeout: failed to connect service "127.0.0.1:${port}" within 400ms: context deadline exceeded`,
    });
  });

  test.each([
    { name: "takes the connection and says nothing", answer: () => serve((socket) => socket.pause(), OWN), tls: false },
    { name: "hangs up at once", answer: () => serve((socket) => socket.destroy(), OWN), tls: false },
    { name: "never shakes hands for TLS", answer: () => serve((socket) => socket.pause(), OWN), tls: true },
    {
      name: "never answers the call",
      answer: () =>
        listen(
          createH2Server((request) => request.pause()),
          OWN,
        ),
      tls: false,
    },
  ])("a server that $name holds nothing of ours, and is not asked any more once there is a verdict", async (server) => {
    const port = await server.answer();
    await grpc(port, 50, server.tls, OWN);
    const before = openFiles();
    for (let i = 0; i < 10; i++) expect((await grpc(port, 50, server.tls, OWN)).result).toBe("failure");
    await closeServers();
    // A client that still tries connects to the program that has the port now.
    let late = 0;
    const next = createServer(() => late++).listen(port, OWN);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await new Promise((resolve) => next.close(resolve));
    expect(late).toBe(0);
    await noMoreFiles(before);
  });

  test.each([
    { name: "resets the stream", answer: resets, output: /code = Canceled desc = stream terminated .* CANCEL$/ },
    {
      name: "hangs up amid the call",
      answer: hangsUp,
      output: /code = Unavailable desc = error reading from server: EOF$/,
    },
    {
      name: "is no gRPC server",
      answer: isWeb,
      output: /code = Unknown desc = .* unexpected content-type "text\/html"$/,
    },
    {
      name: "ends the stream with data, its status among the headers",
      answer: endsWithData,
      output: /code = Internal desc = server closed the stream without sending trailers$/,
    },
    {
      name: "refuses each stream",
      answer: refuses,
      output: /code = Unavailable desc = stream terminated .* REFUSED_STREAM$/,
    },
    {
      name: "answers without end",
      answer: floods,
      output: /code = ResourceExhausted desc = grpc: received message larger/,
    },
  ])("a server that $name is a failure in Go's words", async ({ answer, output }) => {
    const server = createH2Server();
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      answer(stream);
    });
    const attempt = await grpc(await listen(server), GENEROUS);
    expect(attempt).toEqual({ result: "failure", output: expect.stringMatching(output) });
  });

  test("a call that the server refused unprocessed is retried once", async () => {
    const server = createH2Server();
    let calls = 0;
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      calls += 1;
      (calls === 1 ? refuses : serves)(stream);
    });
    expect([(await grpc(await listen(server), GENEROUS)).result, calls]).toEqual(["success", 2]);
  });

  test("and so it is when the server hangs up right behind its refusal", async () => {
    const server = createH2Server();
    let calls = 0;
    server.on("stream", (stream) => {
      const { session } = stream;
      stream.on("error", () => {});
      calls += 1;
      if (calls % 2 === 0) return serves(stream);
      refuses(stream);
      session?.close();
    });
    const port = await listen(server);
    for (let i = 0; i < 20; i++) expect(await grpc(port, GENEROUS)).toMatchObject({ result: "success" });
    expect(calls).toBe(40);
  });

  test("over TLS, where requested, with an untrusted certificate", async () => {
    const { key, cert } = badCertificate();
    const server = new GrpcServer();
    const credentials = ServerCredentials.createSsl(null, [{ private_key: key, cert_chain: cert }]);
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync("127.0.0.1:0", credentials, (error, at) => (error === null ? resolve(at) : reject(error))),
    );
    try {
      expect((await grpc(port, GENEROUS, true)).output).toMatch(
        /^error: this server does not implement the grpc health protocol/,
      );
    } finally {
      server.forceShutdown();
    }
  });
});

test("HTTP: the failure of a probe contains no query, which may hold a secret", async () => {
  const url = { scheme: "http", host: "127.0.0.1", port: 1, path: "/x", query: "?token=secret", fragment: "" } as const;
  const { output } = await httpProbe(systemClock, { url, headers: {}, timeoutMilliseconds: 1_000 });
  expect(output).toMatch(/^Get "http:\/\/127\.0\.0\.1:1\/x\?<masked>": dial tcp/);
});
