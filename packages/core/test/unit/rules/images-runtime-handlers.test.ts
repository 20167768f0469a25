/** Images that a runtime keeps for each RuntimeClass handler. */

import type { Image, Runtime } from "@hooklet/cri-api";
import type { Pod } from "@hooklet/manifest";
import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { ImageManager, type ImageManagerPorts } from "../../../src/images/ensure-image.js";
import { ImageLeases } from "../../../src/images/leases.js";

/** By name and handler. */
class Store {
  readonly calls: string[] = [];
  readonly images = new Map<string, Image>();

  readonly runtime = {
    info: async () => ({}),
    imageStatus: async (name: string, handler = "") => this.images.get(`${name} ${handler}`),
    pullImage: async (name: string, _signal: unknown, _credentials: unknown, handler = "") => {
      this.calls.push(`pull ${name} for ${handler}`);
      this.images.set(`${name} ${handler}`, {
        id: `id of ${name}`,
        repoTags: [name],
        repoDigests: [],
        size: 1,
        pinned: false,
      });
      return `id of ${name}`;
    },
    removeImage: async (name: string, handler = "") => void this.calls.push(`remove ${name} for ${handler}`),
  } as unknown as Runtime;
}

const pod = (uid: string): Pod =>
  ({ metadata: { name: "web", namespace: "default", uid }, spec: { containers: [] } }) as unknown as Pod;

test("an image is there for the handler that it was pulled for, and pulled once for each", async () => {
  const store = new Store();
  const events = { pod: () => {}, node: () => {} } as unknown as ImageManagerPorts["events"];
  const images = new ImageManager({
    clock: systemClock,
    runtime: store.runtime,
    events,
    report: () => undefined,
    maxParallelPulls: 5,
  });
  const { signal } = new AbortController();
  const ensure = (uid: string, handler: string) =>
    images.ensure(pod(uid), { name: "main", image: "web:1" }, handler, signal);
  await Promise.all([ensure("u1", ""), ensure("u2", "kata"), ensure("u3", "kata")]);
  expect([...store.calls].sort()).toEqual(["pull web:1 for ", "pull web:1 for kata"]);
  await ensure("u4", "kata");
  expect(store.calls).toHaveLength(2);
});

test("the image that a starting container holds cannot be removed for its handler, whatever the others have", async () => {
  const store = new Store();
  const image = { id: "a", repoTags: ["web:1"], repoDigests: [], size: 1, pinned: false };
  store.images.set("a kata", image);
  store.images.set("web:1 kata", image);
  const leases = new ImageLeases();
  const guarded = leases.protect(store.runtime);
  const release = await leases.hold("web:1");
  await expect(guarded.removeImage("a", "kata")).rejects.toMatchObject({ code: "failed-precondition" });
  release();
  await guarded.removeImage("a", "kata");
  expect(store.calls).toEqual(["remove a for kata"]);
});
