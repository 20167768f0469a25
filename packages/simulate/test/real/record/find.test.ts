/** What `hooklet record` asks of a node. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@hooklet/utils";
import { afterEach, expect, test } from "@jest/globals";
import { fromKubelet } from "../../../src/record/find.js";

const servers: Server[] = [];

afterEach(async () => {
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
