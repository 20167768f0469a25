import { getEventListeners } from "node:events";
import { type Image, RuntimeError } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { ImageError, ImageManager } from "../../../src/images/ensure-image.js";
import { aPod } from "../../pod/pods.js";

const image: Image = { id: "sha256:1", repoTags: [], repoDigests: [], size: 1, pinned: false };

test.each([
  { name: "an image that a registry gave is pulled", present: image, canPull: true, pulls: 1 },
  { name: "an image that no registry gave is used", present: { ...image, imported: true }, canPull: true, pulls: 0 },
  { name: "where nothing can be pulled the image is used", present: image, canPull: false, pulls: 0 },
])("policy Always: $name", async ({ present, canPull, pulls }) => {
  const pulled: string[] = [];
  const pod = aPod();
  const manager = new ImageManager({
    clock: new VirtualClock(),
    runtime: {
      canPull,
      imageStatus: async () => present,
      pullImage: async (name) => {
        pulled.push(name);
        return present.id;
      },
    },
    events: { pod: () => undefined, node: () => undefined } as never,
    report: () => undefined,
    maxParallelPulls: 1,
  });
  const container = { ...pod.spec.containers[0], name: "main", image: "web", imagePullPolicy: "Always" as const };
  expect(await manager.ensure(pod, container as never, "", new AbortController().signal)).toEqual(present);
  expect(pulled).toHaveLength(pulls);
});

/** A node whose runtime answers so; each event as a line. */
function node(runtime: object) {
  const clock = new VirtualClock();
  const events: string[] = [];
  const manager = new ImageManager({
    clock,
    runtime: { imageStatus: async () => undefined, pullImage: async () => image.id, ...runtime } as never,
    events: {
      pod: (_pod: unknown, ...words: string[]) => void events.push(words.join("|")),
      node: () => undefined,
    } as never,
    report: () => undefined,
    maxParallelPulls: 1,
  });
  const pod = aPod({}, { uid: "u" });
  const ensure = async (more: object = {}, signal = new AbortController().signal): Promise<unknown> => {
    const container = { name: "main", image: "web", ...more };
    try {
      return await manager.ensure(pod, container as never, "", signal);
    } catch (error) {
      if (!(error instanceof ImageError)) return error;
      return [error.reason, error.message, error.notBefore - clock.monotonic()];
    }
  };
  return { clock, events, manager, ensure };
}

const fails = (error: Error) => (): Promise<never> => Promise.reject(error);

test("an image that is present is used, and that is said", async () => {
  const { ensure, events } = node({ imageStatus: async () => image });
  expect(await ensure()).toBe(image);
  expect(events).toEqual(['Normal|Pulled|Container image "web" already present on machine|main']);
});

test("policy Never: an image that is not present is not pulled, and tried again after 10 s", async () => {
  const { ensure, events } = node({});
  const message = 'Container image "web" is not present with pull policy of Never';
  expect(await ensure({ imagePullPolicy: "Never" })).toEqual(["ErrImageNeverPull", message, 10_000]);
  expect(events).toEqual([`Warning|ErrImageNeverPull|${message}|main`]);
});

test.each<[string, object, string]>([
  ["with the runtime's reason", { pullImage: fails(new Error("import it")) }, "import it"],
  ["without one", {}, 'Container image "web" is not present and cannot be pulled'],
])("where nothing can be pulled an image that is not present fails %s", async (_name, runtime, message) => {
  const { ensure, events } = node({ canPull: false, ...runtime });
  expect(await ensure()).toEqual(["ErrImageNeverPull", message, 10_000]);
  expect(events).toEqual([`Warning|ErrImageNeverPull|${message}|main`]);
});

test.each<[string, RuntimeError, string, string]>([
  [
    "a name that is none",
    new RuntimeError("invalid-image-name", "bad"),
    "InvalidImageName",
    'Failed to apply default image tag "web": bad',
  ],
  ["another fault", new RuntimeError("unknown", "bad"), "ImageInspectError", 'Failed to inspect image "web": bad'],
])("%s of an image is shown", async (_name, error, reason, message) => {
  const { ensure, events } = node({ imageStatus: fails(error) });
  expect(await ensure()).toEqual([reason, message, 10_000]);
  expect(events).toEqual([`Warning|InspectFailed|${message}|main`]);
});

test("a runtime that is unavailable is no fault of the image", async () => {
  const down = new RuntimeError("unavailable", "down");
  expect(await node({ imageStatus: fails(down) }).ensure()).toBe(down);
  const { ensure, events } = node({ pullImage: fails(down) });
  expect(await ensure()).toBe(down);
  expect(events).toEqual(['Normal|Pulling|Pulling image "web"|main']);
});

test.each([
  [999, "999ms"],
  [1_000, "1s"],
  [1_500, "1.5s"],
  [61_234, "61.234s"],
])("a pull of %d ms takes %s", async (milliseconds, text) => {
  let present: Image | undefined;
  const own = node({
    imageStatus: async () => present,
    pullImage: async () => {
      await own.clock.advance(milliseconds);
      present = image;
    },
  });
  expect(await own.ensure()).toBe(image);
  expect(own.events).toEqual([
    'Normal|Pulling|Pulling image "web"|main',
    `Normal|Pulled|Successfully pulled image "web" in ${text} (${text} including waiting). Image size: 1 bytes.|main`,
  ]);
});

test("an image that is not there after its pull is an error", async () => {
  expect(await node({}).ensure()).toEqual(["ErrImagePull", 'image "web" is not there after its pull', 0]);
});

test("after a failed pull the next one waits 10 s, then twice as long; of a pod that is gone nothing is kept", async () => {
  const { clock, ensure, events, manager } = node({ pullImage: fails(new Error("no route")) });
  const failed = 'Warning|Failed|Failed to pull image "web": no route|main';
  const waits = 'Back-off pulling image "web": ErrImagePull: no route';
  expect(await ensure()).toEqual(["ErrImagePull", "no route", 0]);
  await clock.advance(9_999);
  expect(await ensure()).toEqual(["ImagePullBackOff", waits, 1]);
  await clock.advance(1);
  expect(await ensure()).toEqual(["ErrImagePull", "no route", 0]);
  expect(await ensure()).toEqual(["ImagePullBackOff", waits, 20_000]);
  const pulling = 'Normal|Pulling|Pulling image "web"|main';
  const backOff = 'Normal|BackOff|Back-off pulling image "web"|main';
  expect(events).toEqual([pulling, failed, backOff, pulling, failed, backOff]);
  manager.forget("other");
  expect(await ensure()).toEqual(["ImagePullBackOff", waits, 20_000]);
  manager.forget("u");
  expect(await ensure()).toEqual(["ErrImagePull", "no route", 0]);
});

test("a pull that is broken off is no failure of the image", async () => {
  const stop = new AbortController();
  const { ensure, events } = node({
    pullImage: async () => {
      stop.abort(new Error("stopped"));
      throw new Error("canceled");
    },
  });
  expect(await ensure({}, stop.signal)).toBeInstanceOf(Error);
  expect(events).toEqual(['Normal|Pulling|Pulling image "web"|main']);
});

describe("a pull that two pods wait for", () => {
  async function waiting() {
    const [first, second] = [new AbortController(), new AbortController()];
    const pulls: AbortSignal[] = [];
    let pulled = (): void => undefined;
    let isThere = false;
    const { ensure } = node({
      imageStatus: async () => (isThere ? image : undefined),
      pullImage: (_: string, signal: AbortSignal) => {
        pulls.push(signal);
        return new Promise<string>((resolve) => {
          pulled = () => {
            isThere = true;
            resolve(image.id);
          };
        });
      },
    });
    const ends: unknown[] = [];
    const asked = [first, second].map(({ signal }) => ensure({}, signal).then((end) => ends.push(end)));
    await new Promise(setImmediate);
    return { first, second, pulls, ends, asked, ensure, pulled: () => pulled() };
  }
  const settled = () => new Promise(setImmediate);

  test("is one, and goes on when one of them leaves, which ends at once", async () => {
    const { first, second, pulls, ends, asked, pulled } = await waiting();
    first.abort(new Error("stopped"));
    await settled();
    expect(ends).toEqual([new Error("stopped")]);
    expect(pulls.map(({ aborted }) => aborted)).toEqual([false]);
    pulled();
    await Promise.all(asked);
    expect(ends).toEqual([new Error("stopped"), image]);
    expect(getEventListeners(second.signal, "abort")).toEqual([]);
  });

  test("is broken off when both leave, and a later pod has a new one", async () => {
    const { first, second, pulls, ends, asked, ensure, pulled } = await waiting();
    first.abort(new Error("stopped"));
    second.abort(new Error("stopped"));
    await Promise.all(asked);
    expect(ends).toEqual([new Error("stopped"), new Error("stopped")]);
    expect(pulls[0]?.reason).toEqual(new Error("no pod waits for image web"));
    const third = ensure();
    pulled();
    await settled();
    pulled();
    expect(await third).toBe(image);
    expect(pulls).toHaveLength(2);
  });
});
