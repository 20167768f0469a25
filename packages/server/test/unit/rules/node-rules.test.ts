import { describe, expect, test } from "@jest/globals";
import { logRefusal } from "../../../src/container-logs.js";
import { asked, pathOf } from "../../../src/node/guard.js";
import { bearerToken, userOfReview, userOfSubject } from "../../../src/node/user.js";
import { byteStream } from "../../../src/stream-pool.js";
import { streamTarget } from "../../../src/streams/stream-request.js";
import { aPod } from "../../samples.js";

test.each([
  ["GET", "/stats/summary", "get", ["stats"]],
  ["GET", "/metrics/cadvisor", "get", ["metrics"]],
  ["GET", "/logs/", "get", ["log"]],
  ["GET", "/pods", "get", ["pods", "proxy"]],
  ["GET", "/runningpods/", "get", ["pods", "proxy"]],
  ["GET", "/healthz/ping", "get", ["healthz", "proxy"]],
  ["GET", "/configz", "get", ["configz", "proxy"]],
  ["GET", "/podsandmore", "get", ["proxy"]],
  ["GET", "/checkpoint/a/b/c", "get", ["checkpoint"]],
  ["GET", "/statusz", "get", ["statusz"]],
  ["GET", "/flagz", "get", ["configz"]],
  ["PUT", "/exec/a/b/c", "update", ["proxy"]],
  ["PATCH", "/exec/a/b/c", "patch", ["proxy"]],
  ["DELETE", "/exec/a/b/c", "delete", ["proxy"]],
  ["BREW", "/exec/a/b/c", "", ["proxy"]],
  ["GET", "/containerLogs/a/b/c", "get", ["proxy"]],
  ["POST", "/exec/a/b/c", "create", ["proxy"]],
])("%s %s needs %s on one of %j", (method, path, verb, subresources) => {
  expect(asked(method, path)).toEqual({ verb, subresources });
});

test.each([
  ["/pods?watch=1", "/pods"],
  ["https://node1:10250/stats/summary?x=/pods", "/stats/summary"],
  ["HTTP://node1/pods", "/pods"],
  ["https://node1?/pods", "/"],
  ["https://node1", "/"],
  ["*", "*"],
  ["", "/"],
])("the path of %s is %s", (target, path) => expect(pathOf(target)).toBe(path));

describe("which user", () => {
  test.each([
    {
      name: "one group",
      subject: { CN: "kube", O: "system:masters" },
      expected: { name: "kube", groups: ["system:masters", "system:authenticated"], extra: {} },
    },
    {
      name: "several groups",
      subject: { CN: "kube", O: ["a", "b"] },
      expected: { name: "kube", groups: ["a", "b", "system:authenticated"], extra: {} },
    },
    {
      name: "of several names the last, which is the one that its signer used",
      subject: { CN: ["kube-apiserver", "system:node:a"], O: "system:nodes" },
      expected: { name: "system:node:a", groups: ["system:nodes", "system:authenticated"], extra: {} },
    },
    { name: "no name is no user", subject: { O: "system:masters" }, expected: undefined },
    { name: "an empty name is no user", subject: { CN: "" }, expected: undefined },
    {
      name: "only the group of all authenticated users",
      subject: { CN: "kube" },
      expected: { name: "kube", groups: ["system:authenticated"], extra: {} },
    },
    {
      name: "each group once",
      subject: { CN: "kube", O: ["a", "system:authenticated", "a"] },
      expected: { name: "kube", groups: ["a", "system:authenticated"], extra: {} },
    },
  ])("by certificate: $name", ({ subject, expected }) => expect(userOfSubject(subject)).toEqual(expected));

  test("by token: the review's user; one without a name is none", () => {
    expect(
      userOfReview({ username: "system:serviceaccount:a:b", uid: "1", groups: ["g"], extra: { k: ["v"] } }),
    ).toEqual({
      name: "system:serviceaccount:a:b",
      uid: "1",
      groups: ["g", "system:authenticated"],
      extra: { k: ["v"] },
    });
    expect(userOfReview({})).toBeUndefined();
    expect(userOfReview({ username: "u" })).toEqual({ name: "u", groups: ["system:authenticated"], extra: {} });
  });

  test.each([
    ["Bearer abc", "abc"],
    ["bearer  abc", "abc"],
    ["Bearer", undefined],
    ["Bearer a b", undefined],
    ["  Bearer abc ", "abc"],
    ["Bearer ", undefined],
    ["", undefined],
    ["Basic abc", undefined],
    [undefined, undefined],
  ])("the token of %j is %j", (header, token) => expect(bearerToken(header)).toBe(token));
});

describe("what an upgrade asks for", () => {
  const parts = { tty: false, stdin: false, stdout: true, stderr: false };
  test.each([
    {
      url: "/exec/ns/p/c?command=ls&command=-l&output=1",
      expected: {
        namespace: "ns",
        name: "p",
        request: { kind: "exec", container: "c", command: ["ls", "-l"], ...parts },
      },
    },
    {
      url: "/exec/ns/p/u1/c?command=a%20b&output=1&input=1&tty=1&error=1",
      expected: {
        namespace: "ns",
        name: "p",
        uid: "u1",
        request: {
          kind: "exec",
          container: "c",
          command: ["a b"],
          tty: true,
          stdin: true,
          stdout: true,
          stderr: false,
        },
      },
    },
    {
      url: "/attach/ns/p/c?output=1",
      expected: { namespace: "ns", name: "p", request: { kind: "attach", container: "c", ...parts } },
    },
    { url: "/portForward/ns/p", expected: { namespace: "ns", name: "p", request: { kind: "portForward", ports: [] } } },
    {
      url: "/portForward/ns/p/u1?port=80,81&port=82",
      expected: { namespace: "ns", name: "p", uid: "u1", request: { kind: "portForward", ports: [80, 81, 82] } },
    },
    { url: "/exec/ns/p/c?command=ls", expected: "you must specify at least 1 of stdin, stdout, stderr" },
    { url: "/exec/ns/p/c?output=1", expected: "you must specify a command" },
    { url: "/exec/ns/p?output=1", expected: "expected /exec/NAMESPACE/POD[/UID]/CONTAINER" },
    ...["0", "65536", "x", "8 0", "1e3", "", "80,", "000080", "-1"].map((port) => ({
      url: `/portForward/ns/p?port=${port}`,
      expected: "every port must be a whole number from 1 to 65535",
    })),
    {
      url: "/portForward/ns/p?port=65535&port=1",
      expected: { namespace: "ns", name: "p", request: { kind: "portForward", ports: [65_535, 1] } },
    },
    { url: "/portForward/ns", expected: "expected /portForward/NAMESPACE/POD[/UID]" },
    { url: "/portForward/ns/p/u/x", expected: "expected /portForward/NAMESPACE/POD[/UID]" },
    { url: "/attach/ns/p/u/c/x?output=1", expected: "expected /attach/NAMESPACE/POD[/UID]/CONTAINER" },
    { url: "/attach/ns/p/?output=1", expected: "expected /attach/NAMESPACE/POD[/UID]/CONTAINER" },
    {
      url: "/attach/ns/p/c?input=true&error=true",
      expected: {
        namespace: "ns",
        name: "p",
        request: { kind: "attach", container: "c", tty: false, stdin: true, stdout: false, stderr: true },
      },
    },
    {
      url: "/attach/ns/p/c?output=yes&tty=1&error=1",
      expected: "you must specify at least 1 of stdin, stdout, stderr",
    },
    { url: "/exec/%zz/p/c", expected: "the path is not encoded as it should be" },
    { url: "/pods", expected: undefined },
    // The guard takes these for other rights than those of exec.
    { url: "/stats/../exec/ns/p/c?command=ls&output=1", expected: undefined },
    { url: "/metrics/%2e%2e/exec/ns/p/c?command=ls&output=1", expected: undefined },
    { url: "//stats/exec/ns/p/c?command=ls&output=1", expected: undefined },
    { url: "http://stats/exec/ns/p/c?command=ls&output=1", expected: undefined },
  ])("$url", ({ url, expected }) => expect(streamTarget(url)).toEqual(expected));
});

test.each([
  { name: "ports", of: (count: number) => `/portForward/ns/p?port=${Array(count).fill("1").join(",")}` },
  { name: "words of a command", of: (count: number) => `/exec/ns/p/c?output=1${"&command=x".repeat(count)}` },
])("at most 10000 $name are taken: more is no request of a person", ({ of }) => {
  expect(streamTarget(of(10_000))).toMatchObject({ namespace: "ns" });
  expect(streamTarget(of(10_001))).toMatch(/^(every port must be|you must specify a command)/);
});

describe("a log that is not there", () => {
  const status = (one: object) => ({
    ...aPod("web"),
    status: { containerStatuses: [{ name: "main", ready: false, restartCount: 0, image: "", imageID: "", ...one }] },
  });
  const ended = { terminated: { exitCode: 0, containerID: "x://1" } };
  const named = 'container "main" in pod "web"';
  test.each([
    {
      name: "a container that waits",
      one: { state: { waiting: { reason: "ContainerCreating" } } },
      previous: false,
      text: `${named} is waiting to start: ContainerCreating`,
    },
    {
      name: "an image that cannot be pulled",
      one: { state: { waiting: { reason: "ErrImagePull" } } },
      previous: false,
      text: `${named} is waiting to start: image can't be pulled`,
    },
    {
      name: "a pull in back-off",
      one: { state: { waiting: { reason: "ImagePullBackOff" } } },
      previous: false,
      text: `${named} is waiting to start: trying and failing to pull image`,
    },
    {
      name: "no earlier container",
      one: { state: { running: {} } },
      previous: true,
      text: 'previous terminated container "main" in pod "web" not found',
    },
    {
      name: "one that ended without ever running",
      one: { state: { terminated: { exitCode: 137 } } },
      previous: false,
      text: `${named} is terminated`,
    },
    {
      name: "a container of which nothing is known yet",
      one: {},
      previous: false,
      text: `${named} is waiting to start - no logs yet`,
    },
    {
      name: "an earlier one that never ran",
      one: { state: { running: {} }, lastState: { terminated: { exitCode: 1 } } },
      previous: true,
      text: 'previous terminated container "main" in pod "web" not found',
    },
    {
      name: "in back-off after one that never ran",
      one: { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: { exitCode: 1 } } },
      previous: false,
      text: `${named} is terminated`,
    },
    { name: "ended: it has one", one: { state: ended }, previous: false, text: undefined },
    { name: "running: it has one", one: { state: { running: {} } }, previous: false, text: undefined },
    {
      name: "in back-off: that of the earlier one",
      one: { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: ended },
      previous: false,
      text: undefined,
    },
    {
      name: "an earlier container",
      one: { state: { running: {} }, lastState: ended },
      previous: true,
      text: undefined,
    },
  ])("$name", ({ one, previous, text }) => expect(logRefusal(status(one) as never, "main", previous)).toBe(text));
});

test.each(["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"])(
  "a container is found among the %s of its pod",
  (kind) => {
    const one = { name: "x", ready: true, restartCount: 0, image: "", imageID: "", state: { running: {} } };
    expect(logRefusal({ ...aPod("web"), status: { [kind]: [one] } } as never, "x", false)).toBeUndefined();
    expect(logRefusal({ ...aPod("web"), status: { [kind]: [one] } } as never, "y", false)).toBe(
      'container "y" in pod "web" is not available',
    );
  },
);

test("no container of a pod without a status is available", () => {
  const { status: _, ...pod } = aPod("web");
  expect(logRefusal(pod, "main", false)).toBe('container "main" in pod "web" is not available');
});

test("no more bytes go out than were asked for, then the stream ends", async () => {
  const stream = byteStream(5, () => undefined);
  for (const text of ["abc", "def", "ghi"]) stream.send(Buffer.from(text));
  const chunks: Buffer[] = [];
  for await (const chunk of stream.readable) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe("abcde");
  expect(stream.signal.aborted).toBe(true);
});
