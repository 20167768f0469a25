import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { HandlerRunner, portOf } from "../../../../src/pod/life/handlers.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const runner = new HandlerRunner({
  clock: new VirtualClock(),
  runtime: {
    execSync: async () => ({ exitCode: 1, stdout: Buffer.from("no such database"), stderr: Buffer.alloc(0) }),
  } as never,
  httpGet: async () => ({ statusCode: 500 }),
  sleepTerminatedEarly: () => undefined,
});
const target = { pod: aPod(), container: aContainer("main"), containerId: "c1", podIp: "10.0.0.1" };
const { signal } = new AbortController();

test("the error of an exec hook contains no word of its command", async () => {
  const run = runner.run({ exec: { command: ["login", "--password=S3CRET"] } }, target, 0, signal);
  await expect(run).rejects.toThrow(
    /^Exec lifecycle hook for Container "main" in Pod ".*" failed - error: it exited with 1, message: "no such database"$/,
  );
});

test("the error of an HTTP hook contains no query", async () => {
  const run = runner.run({ httpGet: { path: "/x?token=S3CRET", port: 80 } }, target, 0, signal);
  await expect(run).rejects.toThrow("HTTP lifecycle hook failed: http://10.0.0.1:80/x answered with status 500");
});

interface Ran {
  readonly outcome: unknown;
  readonly requests: unknown[];
  readonly early: number;
}

/** What a hook of this kind comes to, with an HTTP server that answers with `statusCode`. */
async function ran(
  handler: object,
  { statusCode = 200, exitCode = 0, podIp = "10.0.0.1", abort = false } = {},
): Promise<Ran> {
  const requests: unknown[] = [];
  let early = 0;
  const clock = new VirtualClock();
  const stop = new AbortController();
  const own = new HandlerRunner({
    clock,
    runtime: {
      execSync: async (...call: unknown[]) => {
        requests.push(call);
        return { exitCode, stdout: Buffer.from("out"), stderr: Buffer.from("err") };
      },
    } as never,
    httpGet: async ({ url, headers }) => {
      requests.push([url, headers]);
      return { statusCode };
    },
    sleepTerminatedEarly: () => {
      early += 1;
    },
  });
  const container = aContainer("main", { ports: [{ name: "web", containerPort: 8080 }] });
  const done = own.run(handler, { ...target, container, podIp }, 7, stop.signal).then(
    () => `after ${clock.monotonic()} ms`,
    (error: unknown) => (error as Error).message,
  );
  if (abort) stop.abort(new Error("stopped"));
  await clock.advance(10_000);
  return { outcome: await done, requests, early };
}

test("a command runs in the container, with its timeout", async () => {
  expect((await ran({ exec: { command: ["a", "b"] } })).requests).toEqual([["c1", ["a", "b"], 7]]);
  expect((await ran({ exec: {} })).requests).toEqual([["c1", [], 7]]);
});

test("the error of a command has both of its outputs", async () => {
  const { name, namespace, uid } = target.pod.metadata;
  expect((await ran({ exec: { command: ["a"] } }, { exitCode: 3 })).outcome).toBe(
    `Exec lifecycle hook for Container "main" in Pod "${name}_${namespace}(${uid})" failed - error: it exited with 3, message: "outerr"`,
  );
});

test.each<[string, object, string]>([
  ["the pod is asked by default", { port: 80 }, "http://10.0.0.1:80/"],
  ["a path has its slash", { port: 80, path: "a?b" }, "http://10.0.0.1:80/a?b"],
  ["a scheme is written small", { port: "443", scheme: "HTTPS", path: "/a" }, "https://10.0.0.1:443/a"],
  ["a host is asked instead", { port: 80, host: "example.com" }, "http://example.com:80/"],
  ["an empty host is none", { port: 80, host: "" }, "http://10.0.0.1:80/"],
  ["an address of IPv6 has brackets", { port: 80, host: "::1" }, "http://[::1]:80/"],
  ["a port has a name", { port: "web" }, "http://10.0.0.1:8080/"],
])("HTTP: %s", async (_rule, httpGet, url) => {
  expect((await ran({ httpGet })).requests).toEqual([[url, []]]);
});

test("HTTP: headers go along; a status below 400 is a success", async () => {
  const httpGet = {
    port: 80,
    httpHeaders: [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ],
  };
  const { requests, outcome } = await ran({ httpGet }, { statusCode: 399 });
  expect(requests).toEqual([
    [
      "http://10.0.0.1:80/",
      [
        ["A", "1"],
        ["A", "2"],
      ],
    ],
  ]);
  expect(outcome).toMatch(/^after/);
  expect((await ran({ httpGet: { port: 80 } }, { statusCode: 400 })).outcome).toBe(
    "HTTP lifecycle hook failed: http://10.0.0.1:80/ answered with status 400",
  );
});

test("HTTP: a pod without an address is not asked", async () => {
  expect(await ran({ httpGet: { port: 80 } }, { podIp: "" })).toEqual({
    outcome: "failed to find networking container: the pod has no address yet",
    requests: [],
    early: 0,
  });
});

test("a sleep takes its time; one that is broken off is counted", async () => {
  expect(await ran({ sleep: { seconds: 3 } })).toMatchObject({ outcome: "after 3000 ms", early: 0 });
  expect(await ran({ sleep: { seconds: 3 } }, { abort: true })).toMatchObject({ outcome: "stopped", early: 1 });
});

test("a handler of no kind is an error", async () => {
  expect((await ran({ tcpSocket: { port: 1 } })).outcome).toBe('invalid handler: {"tcpSocket":{"port":1}}');
});

test.each<[number | string, number | string]>([
  [1, 1],
  [65_535, 65_535],
  ["80", 80],
  ["web", 8080],
  [0, "couldn't find port: 0 in container main"],
  [65_536, "couldn't find port: 65536 in container main"],
  ["0.5", `couldn't find port: "0.5" in container main`],
  ["gone", `couldn't find port: "gone" in container main`],
])("the port %j of a container is %j", (port, expected) => {
  const container = aContainer("main", { ports: [{ name: "web", containerPort: 8080 }] });
  if (typeof expected === "number") expect(portOf(port, container)).toBe(expected);
  else expect(() => portOf(port, container)).toThrow(expected);
});
