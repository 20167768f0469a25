/** The calls of the control socket over HTTP: their parameters, their answers, and what the audit says of them. */
import { expect, test } from "@jest/globals";
import { control, nodeServer, readOnlySocket } from "../../src/endpoints.js";
import { appOf, auditedOf } from "../inject.js";
import { aPod } from "../samples.js";

type Method = "GET" | "POST" | "DELETE";

const manifest = "kind: Pod";
const tooLong = "x".repeat(4097);

test.each<
  [method: Method, url: string, body: string | object | undefined, calls: unknown[], audit: string | undefined]
>([
  ["POST", "/reload", undefined, [["reload"]], "reload"],
  ["POST", "/apply", manifest, [["apply", 9, "control socket"]], "apply control socket"],
  ["POST", "/apply?where=web.yaml", manifest, [["apply", 9, "web.yaml"]], "apply web.yaml"],
  ["POST", "/apply", undefined, [["apply", 0, "control socket"]], "apply control socket"],
  [
    "DELETE",
    "/pods/default/web?gracePeriodSeconds=5",
    undefined,
    [["deletePod", "web", { gracePeriodSeconds: 5 }]],
    "delete pod default/web within 5 s",
  ],
  ["DELETE", "/pods/default/web", undefined, [["deletePod", "web", {}]], "delete pod default/web"],
  ["DELETE", "/pods/default/db", undefined, [["deletePod", "db-node1", {}]], "delete pod default/db-node1"],
  ["POST", "/pods/default/db/restart", undefined, [["restartPod", "db-node1"]], "restart pod default/db-node1"],
  [
    "DELETE",
    "/objects/ConfigMap/ns/web",
    undefined,
    [["deleteObject", "ConfigMap", { namespace: "ns", name: "web" }]],
    "delete configmap ns/web",
  ],
  [
    "POST",
    "/plan",
    { plugin: "sample", manifest, arguments: { a: "b" } },
    [["plan", "sample", { manifest, arguments: { a: "b" } }]],
    undefined,
  ],
  ["POST", "/plan", { plugin: "sample" }, [["plan", "sample", { arguments: {} }]], undefined],
  [
    "POST",
    "/plugins/switch",
    { name: "sample", active: false },
    [["switchPlugin", "sample", false]],
    "switch plugin sample off",
  ],
  [
    "POST",
    "/plugins/switch",
    { name: "sample", active: true },
    [["switchPlugin", "sample", true]],
    "switch plugin sample on",
  ],
  [
    "POST",
    "/images/import",
    { name: "host", path: "/srv/host.tar" },
    [["importImage", "host", "/srv/host.tar"]],
    "import image host from /srv/host.tar",
  ],
  ["DELETE", "/images?name=host", undefined, [["removeImage", "host"]], "remove image host"],
])("%s %s with %j", async (method, url, body, calls, audit) => {
  const { api, ask } = appOf(control);
  api.list = [aPod("web"), aPod("db-node1")];
  api.imageList = [{ repoTags: ["host"] } as never];
  const [status] = await ask(method, url, body, typeof body === "string" ? "application/yaml" : undefined);
  expect(status).toBeLessThan(300);
  const audited = audit === undefined ? api.audited : await auditedOf(api);
  expect([api.calls, audited.map(({ what, isSession }) => [what, isSession])]).toEqual([
    calls,
    audit === undefined ? [] : [[audit, false]],
  ]);
});

test.each<[method: Method, url: string, body: object | undefined, error: string | RegExp]>([
  ["GET", "/view", undefined, /^request\.name: /],
  ["GET", "/view?name=", undefined, /^request\.name: /],
  ["GET", `/view?name=${tooLong}`, undefined, /^request\.name: /],
  ["GET", "/objects/Pod", undefined, /^request\.kind: /],
  ["DELETE", "/images?name=", undefined, /^request\.name: /],
  [
    "DELETE",
    "/pods/default/web?gracePeriodSeconds=-1",
    undefined,
    "request.gracePeriodSeconds: expected a whole number",
  ],
  [
    "DELETE",
    "/pods/default/web?gracePeriodSeconds=2147483648",
    undefined,
    "request.gracePeriodSeconds: expected at most 2147483647",
  ],
  ["POST", "/plan", {}, /^request\.plugin: /],
  ["POST", "/plan", { plugin: "" }, /^request\.plugin: /],
  ["POST", "/plan", { plugin: "sample", more: "x" }, /^request: .*"more"/],
  ["POST", "/plan", { plugin: "sample", arguments: { [tooLong]: "x" } }, /^request\.arguments\./],
  ["POST", "/plugins/switch", { name: "", active: true }, /^request\.name: /],
  ["POST", "/plugins/switch", { name: "sample", active: "yes" }, /^request\.active: /],
  ["POST", "/plugins/switch", { name: "sample", active: true, more: 1 }, /^request: .*"more"/],
  ["POST", "/images/import", { name: "", path: "/x" }, /^request\.name: /],
  [
    "POST",
    "/images/import",
    { name: "x", path: "x.tar" },
    "request.path: expected an absolute path of a tar file or a directory on the node",
  ],
  ["POST", "/images/import", { name: "x", path: "/x", more: 1 }, /^request: .*"more"/],
])("%s %s with %j is refused, names the field, and calls nothing", async (method, url, body, error) => {
  const { api, ask } = appOf(control);
  const [status, answer] = await ask(method, url, body);
  expect([status, answer]).toEqual([400, { error: expect.stringMatching(error), code: "INVALID" }]);
  expect([api.calls, api.audited]).toEqual([[], []]);
});

test("each fault of a request is named", async () => {
  const { ask } = appOf(control);
  expect(await ask("POST", "/images/import", { name: "", path: "x" })).toEqual([
    400,
    { error: expect.stringMatching(/^request\.name: .*; request\.path: /), code: "INVALID" },
  ]);
});

test("what a step of the path names counts, whatever query and body say", async () => {
  const { api, ask } = appOf(control);
  api.list = [aPod("web"), aPod("other")];
  await ask("POST", "/pods/default/web/restart?name=other", { name: "other" });
  expect(api.calls).toEqual([["restartPod", "web"]]);
});

test("a list is answered as its items, an object as itself, nothing as 204", async () => {
  const { api, ask } = appOf(control);
  api.list = [aPod("web")];
  api.applied = [{ kind: "ConfigMap", metadata: { name: "c" } } as never];
  expect(await ask("GET", "/objects/ConfigMap")).toEqual([200, { items: api.applied }]);
  expect(await ask("GET", "/objects/Secret")).toEqual([200, { items: [] }]);
  expect(await ask("GET", "/pods/default/web")).toEqual([200, aPod("web")]);
  expect(await ask("POST", "/reload")).toEqual([204, ""]);
  expect(await ask("GET", "/version")).toEqual([200, { version: "1.2.3", nodeName: "node1" }]);
});

test.each(["application/yaml", "text/plain"])("a manifest may come as %s", async (type) => {
  const { api, ask } = appOf(control);
  await ask("POST", "/apply", manifest, type);
  expect(api.calls).toEqual([["apply", 9, "control socket"]]);
});

test("a pod that is not there is audited by the name of the request", async () => {
  const { api, ask } = appOf(control);
  expect((await ask("DELETE", "/pods/default/web"))[0]).toBe(404);
  expect(await auditedOf(api)).toMatchObject([{ what: "delete pod default/web", ok: false }]);
});

const all: readonly [Method, string][] = [
  ["GET", "/pods/default/web"],
  ["GET", "/node"],
  ["GET", "/plugins"],
  ["GET", "/views"],
  ["GET", "/view?name=sample"],
  ["GET", "/images"],
  ["GET", "/objects/Secret"],
  ["POST", "/reload"],
  ["POST", "/plan"],
  ["DELETE", "/pods/default/web"],
];

test.each([
  ["the control socket", control, all.map(([method, url]) => `${method} ${url}`)],
  [
    "the read-only socket",
    readOnlySocket,
    ["GET /pods/default/web", "GET /node", "GET /plugins", "GET /views", "GET /view?name=sample"],
  ],
  ["the kubelet's server", nodeServer, []],
])("%s has its calls and no others", async (_, endpoint, expected) => {
  const { api, ask } = appOf(endpoint);
  api.list = [aPod("web")];
  api.tables.sample = { columns: [], rows: [] };
  const there: string[] = [];
  for (const [method, url] of all) {
    const [status] = await ask(method, url, method === "POST" && url === "/plan" ? { plugin: "sample" } : undefined);
    if (status < 300) there.push(`${method} ${url}`);
  }
  expect(there).toEqual(expected);
});

test("who may not see values sees a pod without them", async () => {
  const env = [{ name: "KEY", value: "secret" }];
  const pod = aPod("web", { spec: { containers: [{ name: "main", image: "host", env }] } });
  const [whole, without] = [appOf(control), appOf(readOnlySocket)];
  whole.api.list = [pod];
  without.api.list = [pod];
  expect(JSON.stringify(await whole.ask("GET", "/pods/default/web"))).toContain("secret");
  expect(JSON.stringify(await without.ask("GET", "/pods/default/web"))).not.toContain("secret");
});
