import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { KubeServices } from "../../../src/objects/services.js";
import { FakeCluster } from "../../fake-cluster.js";

const { signal } = new AbortController();

let clock: VirtualClock;
let cluster: FakeCluster;
let services: KubeServices;
let reports: string[];

beforeEach(() => {
  clock = new VirtualClock();
  cluster = new FakeCluster();
  reports = [];
  const { watches } = cluster.clients({}, { clock });
  const report = (where: string, error: unknown) => void reports.push(`${where}: ${(error as Error).message}`);
  services = new KubeServices({ watches, clock, random: () => 0.5, report });
});

afterEach(() => services.stop());

const put = (namespace: string, name: string, clusterIP = "10.0.0.1") =>
  cluster.put(`/api/v1/namespaces/${namespace}/services`, { metadata: { namespace, name }, spec: { clusterIP } });
const names = async (...namespaces: readonly string[]) => {
  await clock.advance(10);
  return (await services.list(namespaces, signal)).map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
};

test("services are listed by namespace, in the order asked for, and follow changes", async () => {
  put("default", "a");
  put("other", "b");
  put("third", "c");
  services.start();
  expect(await names("other", "default", "none")).toEqual(["other/b", "default/a"]);
  put("default", "d");
  put("new", "e");
  cluster.remove("/api/v1/namespaces/other/services", "b");
  expect(await names("other", "default", "new")).toEqual(["default/a", "default/d", "new/e"]);
  put("default", "a", "10.0.0.9");
  await clock.advance(10);
  expect((await services.list(["default"], signal)).map(({ spec }) => spec?.clusterIP)).toEqual([
    "10.0.0.9",
    "10.0.0.1",
  ]);
});

test("a list waits for the API server's first answer, until its pod is stopped", async () => {
  cluster.down = true;
  services.start();
  const stopping = new AbortController();
  const listing = services.list(["default"], stopping.signal);
  listing.catch(() => undefined);
  await clock.advance(60_000);
  stopping.abort(new Error("the pod stops"));
  await expect(listing).rejects.toThrow("the pod stops");
  expect(reports[0]).toBe("watch of services: nobody answers");
});
