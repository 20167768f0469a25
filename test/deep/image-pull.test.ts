/** Pods whose images come from a registry, by the real binary on local processes: the kubelet's words, an agent that is killed, the garbage collection. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { processIds } from "../../packages/runtime-process/test/processes.js";
import { login, noRegistry, Registry } from "../../packages/runtime-process/test/registry.js";
import { makeSmallRoot } from "../../packages/runtime-process/test/small-root.js";
import { until, type V1Pod, Workplace } from "../support/agent.js";

(noRegistry === undefined ? describe : describe.skip)("images of a registry on local processes", () => {
  let place: Workplace;
  let registry: Registry;
  let root: string;
  beforeAll(async () => {
    registry = await Registry.start();
    place = await Workplace.create();
    root = path.join(place.folder, "small");
    await mkdir(root);
    await makeSmallRoot(root);
    await start({ imageGCHighThresholdPercent: 100 });
  });
  afterAll(async () => {
    await place?.remove();
    await registry?.stop();
  });

  async function start(gc: object): Promise<void> {
    const runtime = { use: "process", options: { registryConfigPath: registry.certsD } };
    const plugins = [["imagegc", { imageMinimumGCAge: "0s", ...gc }]];
    const rc = path.join(place.folder, "rc.json");
    await writeFile(rc, JSON.stringify({ node: { evictionHard: {} }, runtime, plugins }));
    await place.start("--config", rc, "--node-name", "node");
  }

  const store = (name: string): Promise<string[]> => readdir(path.join(place.rootDir, "runtime-process", name));

  async function pushed(name: string): Promise<string> {
    // A layer of its own, which takes a while.
    await writeFile(path.join(root, "own"), randomBytes(2 ** 21));
    const layer = execFileSync("tar", ["-C", root, "-c", "."], { maxBuffer: 2 ** 30 });
    return (await registry.push(name, { layers: [layer], config: { Cmd: ["sleep", "3600"] } })).image;
  }

  async function apply(object: object): Promise<void> {
    const file = path.join(place.folder, "object.json");
    await writeFile(file, JSON.stringify(object));
    expect(await place.hooklet("apply", "-f", file)).toMatchObject({ code: 0, stderr: "" });
  }

  const secret = (password: string): Promise<void> => {
    const auths = { [registry.host]: { username: login.username, password } };
    const data = { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") };
    return apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login" },
      type: "kubernetes.io/dockerconfigjson",
      data,
    });
  };

  const runPod = (name: string, image: string): Promise<void> =>
    apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: {
        imagePullSecrets: [{ name: "login" }],
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image }],
      },
    });

  const waiting = (pod: V1Pod | undefined) => pod?.status.containerStatuses?.[0]?.state.waiting;
  const isRunning = async (name: string): Promise<boolean> => (await place.pod(name))?.status.phase === "Running";

  test("a wrong password is ErrImagePull and ImagePullBackOff, the right one lets the pod run", async () => {
    const image = await pushed("team/web:1");
    await secret("wrong");
    await runPod("web", image);
    const cause = `reading manifest 1 in ${registry.host}/team/web: unauthorized: authentication required`;
    await until("the pull is held back", async () => waiting(await place.pod("web"))?.reason === "ImagePullBackOff");
    expect(waiting(await place.pod("web"))?.message).toBe(`Back-off pulling image "${image}": ErrImagePull: ${cause}`);
    await secret(login.password);
    await until("the pod runs", () => isRunning("web"));
    const events = await place.events();
    for (const text of [
      `Pulling image "${image}"`,
      `Failed to pull image "${image}": ${cause}`,
      "Error: ErrImagePull",
      `Back-off pulling image "${image}"`,
      "Error: ImagePullBackOff",
    ]) {
      expect(events).toContain(text);
    }
    expect(events).toMatch(
      /Pulled .*Successfully pulled image ".*" in \S+s \(\S+ including waiting\)\. Image size: \d{7,} bytes\./,
    );
    const { stdout } = await place.hooklet("get", "images");
    expect(stdout).toContain(image);
  });

  test("the agent is killed in the middle of a pull: skopeo ends with it, the next agent clears up and pulls", async () => {
    const image = await pushed("team/killed:1");
    registry.allowed = 300_000;
    await runPod("killed", image);
    await until("no more comes", async () => (registry.allowed ?? 0) < 0);
    expect(pulls()).toHaveLength(1);
    await place.kill();
    await until("skopeo has ended", async () => pulls().length === 0, 5);
    expect(await store("image-temp")).toHaveLength(1);
    registry.allowed = undefined;
    await start({ imageGCHighThresholdPercent: 100 });
    await until("the pod runs", () => isRunning("killed"));
    expect(await store("image-temp")).toEqual([]);
  });

  test("image garbage collection removes what no pod uses, layers and all", async () => {
    expect(await store("images")).toHaveLength(2);
    await place.hooklet("delete", "pod", "web", "killed");
    await until("the pods are gone", async () => (await place.pods()).length === 0);
    await place.stop();
    // Any disk is fuller than this: all that may go goes.
    await start({ imageGCHighThresholdPercent: 1, imageGCLowThresholdPercent: 0 });
    await until("the images are removed", async () => (await store("images")).length === 0);
    expect(await store("image-names")).toEqual([]);
  });

  const pulls = (): readonly number[] =>
    processIds((words) => words.includes(`docker://${registry.host}/`) && /\bcopy\b/.test(words));
});
