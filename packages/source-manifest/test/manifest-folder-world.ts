/** A folder of manifests for each test, and the source that watches it; what a test reads here is its own. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PodSource } from "@hooklet/core/host";
import { type Clock, systemClock } from "@hooklet/utils";
import { afterEach, beforeEach } from "@jest/globals";
import { RecordingSink, temporaryFolder, until } from "../../core/test/sources/harness.js";
import { yamlPod } from "../../manifest/test/pods.js";
import { manifestFolder } from "../src/manifest-folder.js";

export let root: Awaited<ReturnType<typeof temporaryFolder>>;
export let folder: string;
export let sink: RecordingSink;
export let source: PodSource | undefined;

beforeEach(async () => {
  root = await temporaryFolder();
  folder = join(root.path, "manifests");
  await mkdir(folder);
  sink = new RecordingSink();
});
afterEach(async () => {
  await source?.stop();
  source = undefined;
  await root.remove();
});

export async function start(path = folder, fileCheckFrequency = 3_600, clock: Clock = systemClock): Promise<void> {
  source = manifestFolder({ path, nodeName: "n", fileCheckFrequency, clock });
  await source.start(sink);
}
export const at = (name: string): string => join(folder, name);
/** In one step: the source never reads half of it. */
export async function write(name: string, text: string): Promise<void> {
  const whole = join(root.path, `${name}.whole`);
  await writeFile(whole, text);
  await rename(whole, at(name));
}
export const put = (name: string, pod: string): Promise<void> => write(name, yamlPod(pod));
export const shows = (...names: string[]): Promise<void> =>
  until(
    () => JSON.stringify(sink.names) === JSON.stringify(names),
    () => [sink.names, sink.log],
  );
