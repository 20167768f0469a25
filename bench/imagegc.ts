/** Decisions of image and container garbage collection over up to 10 000 objects, against the plain way to write them. */
import type { ImageRecord, OrderStrategy } from "@hooklet/plugin-imagegc";
import {
  candidatesOf,
  containersToRemove,
  type Detection,
  detect,
  type ImageUse,
  imageRound,
  inOrder,
  kubeletContainerPolicy,
  kubeletPolicy,
  lru,
  type PodStates,
  rehearse,
  type SeenContainer,
  type SeenImage,
  sandboxesToRemove,
} from "@hooklet/plugin-imagegc/internal";
import { Bench } from "tinybench";

export const title = "imagegc: one whole decision over images and over dead containers, against a quadratic loop";

const MIB = 1024 ** 2;
const HOUR = 3_600_000;
const NOW = 1000 * HOUR;
const SIZES = [10, 100, 1_000, 10_000];

export async function run(): Promise<void> {
  const imageRows: Record<string, string>[] = [];
  for (const count of SIZES) imageRows.push(await images(count));
  console.table(imageRows);
  const containerRows: Record<string, string>[] = [];
  for (const count of SIZES) containerRows.push(await containers(count));
  console.table(containerRows);
}

/** A third of the images is used, the disk is full to 95 %, half of what may go has to. */
async function images(count: number): Promise<Record<string, string>> {
  const seen = Array.from({ length: count }, (_, index): SeenImage => {
    const name = `registry.example/team-${index % 50}/web-${index % 500}:${index}`;
    return { id: `sha256:${index}`, names: [name], size: (1 + (scatter(index) % 60)) * MIB, pinned: index % 97 === 0 };
  });
  const uses = seen.filter((_, index) => index % 3 === 0).map(({ id }): ImageUse => ({ imageId: id, by: "container" }));
  const before = new Map(
    [...detect(new Map(), { images: seen, uses: [], detectedAt: 0, now: NOW }).records].map(
      ([key, record], index): [string, ImageRecord] => [key, { ...record, lastUsed: scatter(index) * 1000 }],
    ),
  );
  const total = seen.reduce((sum, { size }) => sum + size, 0);
  const usage = { capacityBytes: total, availableBytes: Math.floor(total / 20) };
  const policy = { ...kubeletPolicy, highThresholdPercent: 90, lowThresholdPercent: 60 };
  const decide = (order: OrderStrategy, more = policy) => {
    const detection = detect(before, { images: seen, uses, detectedAt: NOW, now: NOW });
    const sorted = inOrder(order, { candidates: candidatesOf(detection, more).candidates, now: NOW });
    return rehearse(imageRound({ candidates: sorted.candidates, policy: more, now: NOW, began: 0 }), usage);
  };
  const goal = decide(lru).bytesToFree ?? 0;
  const plain = () => naive(detect(before, { images: seen, uses, detectedAt: NOW, now: NOW }), goal);
  const removed = decide(lru).outcomes.filter(({ verdict }) => verdict === "removed");
  if (removed.map(({ image }) => image.key).join() !== plain().join()) throw new Error("the decisions differ");
  const everything = { ...policy, protect: ["registry.example/team-1/*", "*-7:*"] };
  const [whole, options, loop] = await medians({
    whole: () => void decide(lru),
    options: () => void decide(lru, everything),
    loop: () => void plain(),
  });
  return {
    images: String(count),
    removed: String(removed.length),
    "decision ms": text(whole),
    "with protect ms": text(options),
    "oldest sought each time ms": text(loop),
  };
}

/** The oldest candidate is searched again for each removal, and users are searched in a list. */
function naive({ records, inUse }: Detection, goal: number): readonly string[] {
  const users = [...inUse.keys()];
  const left = [...records.values()].filter(({ key, pinned }) => !pinned && !users.includes(key));
  const removed: string[] = [];
  for (let freed = 0; freed < goal && left.length > 0; ) {
    let oldest = 0;
    for (const [index, image] of left.entries()) if (before(image, left[oldest] as ImageRecord)) oldest = index;
    const [image] = left.splice(oldest, 1) as [ImageRecord];
    removed.push(image.key);
    freed += image.size;
  }
  return removed;
}

function before(a: ImageRecord, b: ImageRecord): boolean {
  const [usedA, usedB] = [a.lastUsed ?? 0, b.lastUsed ?? 0];
  return usedA === usedB ? a.key < b.key : usedA < usedB;
}

/** Ten containers and two sandboxes a pod, a fifth of the pods is gone, and one in ten containers runs. */
async function containers(count: number): Promise<Record<string, string>> {
  const all = Array.from({ length: count }, (_, index): SeenContainer => {
    const state = index % 10 === 0 ? "running" : "exited";
    const pod = `pod-${Math.floor(index / 10)}`;
    return { id: String(index), podUid: pod, name: `c${index % 2}`, created: scatter(index) * 100_000 + index, state };
  });
  const sandboxes = Array.from({ length: Math.ceil(count / 5) }, (_, index) => {
    const ready = index % 2 === 0;
    return { id: String(index), podUid: `pod-${index >> 1}`, created: index, ready, hasContainers: ready };
  });
  const pods: PodStates = {
    allSourcesReady: true,
    isDeleted: (uid) => uid.endsWith("0") || uid.endsWith("5"),
    isTerminated: () => false,
    evictTerminated: false,
  };
  const policy = { ...kubeletContainerPolicy, maxContainers: Math.floor(count / 20) };
  const removals = containersToRemove(all, policy, pods, NOW);
  const [dead, empty, loop] = await medians({
    dead: () => void containersToRemove(all, policy, pods, NOW),
    empty: () => void sandboxesToRemove(sandboxes, pods),
    loop: () => void newestSought(all),
  });
  return {
    containers: String(count),
    removed: String(removals.length),
    "decision ms": text(dead),
    "sandboxes ms": text(empty),
    "newest sought per container ms": text(loop),
  };
}

/** For each container all others are searched for newer ones of its name. */
function newestSought(all: readonly SeenContainer[]): readonly SeenContainer[] {
  return all.filter(
    (one) =>
      one.state !== "running" &&
      all.some((other) => other.podUid === one.podUid && other.name === one.name && other.created > one.created),
  );
}

async function medians(tasks: Readonly<Record<string, () => void>>): Promise<readonly number[]> {
  const bench = new Bench({ time: 200, iterations: 3, warmup: false });
  for (const [name, task] of Object.entries(tasks)) bench.add(name, task);
  await bench.run();
  return bench.tasks.map((task) => (task.result as { latency: { p50: number } }).latency.p50);
}

function text(milliseconds: number | undefined): string {
  return (milliseconds ?? 0).toFixed(3);
}

/** Spreads neighbours over 16 bits, the same on every machine. */
function scatter(index: number): number {
  return ((index + 1) * 2_654_435_761) % 65_536;
}
