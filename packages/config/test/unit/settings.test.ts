/** What the options come to on this machine. */
import { resolve } from "node:path";
import { rcSchema } from "@hooklet/core/internal";
import { expect, test } from "@jest/globals";
import { agentSettings } from "../../src/settings.js";

type Input = Parameters<typeof agentSettings>[0];

/** All files and folders of the machine are root's; others can write those that are `open`. */
function settingsOf(options: object, more: Partial<Input> = {}, open = ""): ReturnType<typeof agentSettings> {
  return agentSettings({
    value: rcSchema.parse(options),
    sourcePlugins: {},
    near: (path, file) => resolve("/rc", path.join("."), file),
    owners: { uid: 0, lstat: (path) => ({ uid: 0, mode: path === open ? 0o40777 : 0o40755 }) },
    env: {},
    host: "Node-1",
    rc: undefined,
    placed: ({ path, expected, found }) => ({ file: "rc", path: path.join("."), expected, found }),
    ...more,
  });
}

test("files and folders are found from the file that names them", () => {
  const { settings, faults } = settingsOf({
    rootDir: "state",
    socket: "own.sock",
    readOnlySocket: { path: "read.sock", group: 7 },
    sources: { manifests: "pods" },
    server: {
      tlsCertFile: "a.crt",
      tlsPrivateKeyFile: "a.key",
      authentication: { x509: { clientCAFile: "ca.crt" } },
    },
  });
  expect(faults).toEqual([]);
  expect(settings).toMatchObject({
    rootDir: "/rc/rootDir/state",
    socket: "/rc/socket/own.sock",
    readOnlySocket: { path: "/rc/readOnlySocket.path/read.sock", group: 7 },
    sources: { manifests: "/rc/sources.manifests/pods" },
    server: {
      tlsCertFile: "/rc/server.tlsCertFile/a.crt",
      tlsPrivateKeyFile: "/rc/server.tlsPrivateKeyFile/a.key",
      authentication: { x509: { clientCAFile: "/rc/server.authentication.x509.clientCAFile/ca.crt" } },
    },
  });
});

test("what is left out is not there, and the socket lies in the root dir", () => {
  const { settings } = settingsOf({ rootDir: "/state", healthzPort: 0, server: null });
  expect(settings).toMatchObject({ rootDir: "/state", socket: "/state/hooklet.sock", readOnlySocket: null });
  expect(settings.sources.manifests).toBeNull();
  expect(Object.keys(settings)).not.toContain("healthz");
  expect(Object.keys(settings)).not.toContain("server");
  const { settings: served } = settingsOf({ healthzPort: 1234, healthzBindAddress: "127.0.0.1", server: {} });
  expect(served.healthz).toEqual({ address: "127.0.0.1", port: 1234 });
  expect(served.server).toMatchObject({
    tlsCertFile: undefined,
    authentication: { x509: { clientCAFile: undefined } },
  });
});

test.each<[string, object, readonly string[]]>([
  ["none", { port: 0, healthzPort: 0, readOnlyPort: 0 }, []],
  ["different ones", { port: 1, healthzPort: 2, readOnlyPort: 3, server: { port: 4 } }, []],
  ["the same on other addresses", { port: 1, healthzPort: 1, healthzBindAddress: "10.0.0.1" }, []],
  ["health where port is", { port: 1, healthzPort: 1 }, ["healthzPort: another port than port, 1"]],
  [
    "health everywhere",
    { port: 1, healthzPort: 1, healthzBindAddress: "::" },
    ["healthzPort: another port than port, 1"],
  ],
  [
    "all the same",
    { port: 1, readOnlyPort: 1, server: { port: 1 } },
    ["readOnlyPort: another port than port, 1", "server.port: another port than port, 1"],
  ],
])("ports that two settings have are faults: %s", (_name, options, expected) => {
  const { faults } = settingsOf({ rootDir: "/state", ...options });
  expect(faults.map(({ path, expected, found }) => `${path}: ${expected}, ${found}`)).toEqual(expected);
});

test("the sources of plugins are theirs", () => {
  const value = { ...rcSchema.parse({}), sources: { ...rcSchema.parse({}).sources, cluster: { a: 1 } } };
  const { settings } = settingsOf({}, { value, sourcePlugins: { cluster: { specifier: "c", files: [] } } as never });
  expect(Object.keys(settings.sources)).not.toContain("cluster");
});

test.each(["root", 0])("a group is written by its name or its number: %j", (group) => {
  const { settings } = settingsOf({ readOnlySocket: { path: "/run/a.sock", group } });
  expect(settings.readOnlySocket).toEqual({ path: "/run/a.sock", group: 0 });
});

test.each(["no-such-group", "roo", "ot", "root:x"])("%s is no group of the machine", (group) => {
  const { settings, faults } = settingsOf({ readOnlySocket: { path: "/run/a.sock", group } });
  expect(settings.readOnlySocket).toBeNull();
  expect(faults).toEqual([
    {
      file: "rc",
      path: "readOnlySocket.group",
      expected: "a group of /etc/group, or its number",
      found: JSON.stringify(group),
    },
  ]);
});

test.each([
  ["rootDir", { rootDir: "/open" }, "choose another root directory, with --root-dir or rootDir"],
  ["socket", { rootDir: "/state", socket: "/open/a.sock" }, "choose another place, with --socket or socket"],
  [
    "readOnlySocket.path",
    { rootDir: "/state", readOnlySocket: { path: "/open/a.sock", group: 0 } },
    "choose another place for it",
  ],
])("a folder that others can write is a fault of %s", (path, options, instead) => {
  expect(settingsOf(options, {}, "/open").faults).toEqual([
    {
      file: "rc",
      path,
      expected: expect.stringContaining("/open"),
      found: `mode 0777 (${instead})`,
    },
  ]);
});

test("a socket in the root dir is no second fault", () => {
  expect(settingsOf({ rootDir: "/open", socket: "/open/a.sock" }, {}, "/open").faults.map(({ path }) => path)).toEqual([
    "rootDir",
  ]);
});

test("a group that is none and a place that is open are two faults", () => {
  const readOnlySocket = { path: "/open/a.sock", group: "no-such-group" };
  expect(settingsOf({ rootDir: "/state", readOnlySocket }, {}, "/open").faults.map(({ path }) => path)).toEqual([
    "readOnlySocket.path",
    "readOnlySocket.group",
  ]);
});

test("the node has the name that is written, else the machine's in small letters", () => {
  expect(settingsOf({ node: { name: "mine" } }).settings.node.name).toBe("mine");
  expect(settingsOf({}).settings.node.name).toBe("node-1");
});

test.each([
  ["default", undefined],
  ["/etc/.hookletrc", { file: "/etc/.hookletrc", raw: {}, locate: () => undefined }],
])("a machine's name that no node may have is a fault of %s", (file, rc) => {
  expect(settingsOf({}, { host: "a_b", rc }).faults).toEqual([
    {
      file,
      path: "node.name",
      expected: expect.stringMatching(/^.+ \(the machine's host name is none: say --node-name or node\.name\)$/),
      found: '"a_b"',
    },
  ]);
  expect(settingsOf({ node: { name: "mine" } }, { host: "a_b", rc }).faults).toEqual([]);
});
