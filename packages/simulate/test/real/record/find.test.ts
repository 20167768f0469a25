/** What `hooklet record` asks of a node. */
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, expect, test } from "@jest/globals";
import { fromFiles, fromKubelet } from "../../../src/record/find.js";

const servers: Server[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const pods = { kind: "PodList", apiVersion: "v1", items: [{ metadata: { name: "web" } }] };

test("record --kubelet follows no redirect: the node makes no requests from here", async () => {
  const asked: string[] = [];
  const internal = await serve(({ url = "" }, response) => {
    asked.push(url);
    response.end(JSON.stringify({ node: { memory: { availableBytes: 1 } }, pods: [] }));
  });
  const node = await serve(({ url = "" }, response) => {
    if (url === "/pods") response.end(JSON.stringify(pods));
    else response.writeHead(302, { location: `${internal}${url}` }).end();
  });
  const warnings: string[] = [];
  const found = await fromKubelet(node, systemClock, async (text) => void warnings.push(text));
  expect(asked).toEqual([]);
  expect(warnings).toEqual([
    expect.stringContaining("the kubelet's configuration is left out"),
    expect.stringContaining("what pods and disks use is left out"),
  ]);
  expect(Object.keys(found)).toEqual(["pods"]);
});

test("record --kubelet ends where the pods themselves are elsewhere", async () => {
  const node = await serve((_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
  await expect(fromKubelet(node, systemClock, async () => undefined)).rejects.toThrow("does not answer");
});

test.each([
  {
    name: "an address that is none",
    url: "node:1",
    fault: 'found "node:1"',
  },
  { name: "an address inside another text", url: "at http://node", fault: "expected an address" },
])("record --kubelet refuses $name", async ({ url, fault }) => {
  await expect(fromKubelet(url, systemClock, async () => undefined)).rejects.toThrow(fault);
});

test("record --kubelet takes what the kubelet reports, whatever slashes its address ends in", async () => {
  const asked: string[] = [];
  const node = await serve(({ url = "" }, response) => {
    asked.push(url);
    if (url === "/pods") response.end(JSON.stringify(pods));
    else if (url === "/configz") response.end(JSON.stringify({ kubeletconfig: { maxPods: 7 } }));
    else response.end(JSON.stringify({ node: { memory: { availableBytes: 1 } }, pods: [] }));
  });
  const found = await fromKubelet(`${node}//`, systemClock, async (text) => Promise.reject(new Error(text)));
  expect(asked.sort()).toEqual(["/configz", "/pods", "/stats/summary"]);
  expect(found).toMatchObject({ kubeletConfig: { maxPods: 7 }, summary: { node: { memory: { availableBytes: 1 } } } });
});

test.each([
  { name: "refuses", status: 401, body: "", fault: "/pods: expected status 200, found 401." },
  { name: "answers with no JSON", status: 200, body: "<html>", fault: "/pods: expected JSON, found" },
  { name: "answers with something else", status: 200, body: "{}", fault: "/pods: expected a PodList" },
])("record --kubelet ends where the kubelet $name", async ({ status, body, fault }) => {
  const node = await serve((_, response) => void response.writeHead(status).end(body));
  await expect(fromKubelet(node, systemClock, async () => undefined)).rejects.toThrow(fault);
});

async function files(...texts: readonly string[]): Promise<readonly string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "hooklet-find-"));
  folders.push(folder);
  return Promise.all(
    texts.map(async (text, index) => {
      const file = path.join(folder, `${index}.json`);
      await writeFile(file, text);
      return file;
    }),
  );
}

test("pods of several files come together, of the rest the last file counts", async () => {
  const other = { ...pods, items: [{ metadata: { name: "db" } }] };
  const node = (name: string) => ({ kind: "Node", apiVersion: "v1", metadata: { name } });
  const all = [pods, node("first"), other, node("last")].map((one) => JSON.stringify(one));
  const found = await fromFiles(await files(...all));
  expect(found.pods?.map(({ metadata }) => metadata?.name)).toEqual(["web", "db"]);
  expect(found.node?.metadata?.name).toBe("last");
});

test("a file that cannot be used is named with what is wrong", async () => {
  const [json = "", other = "", large = ""] = await files("{", "{}", "");
  await truncate(large, 256 * 1024 * 1024 + 1);
  await expect(fromFiles([json])).rejects.toThrow(`${json}: expected JSON, found`);
  await expect(fromFiles([other])).rejects.toThrow(`${other}: expected a PodList`);
  await expect(fromFiles([large])).rejects.toThrow(`Cannot read ${large}: it is larger than 256 MiB`);
  await expect(fromFiles([`${json}.gone`])).rejects.toThrow(`Cannot read ${json}.gone: ENOENT`);
});
