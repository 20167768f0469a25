/** The examples, and pods of the Kubernetes documentation, on a real containerd; a registry here has their images. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Containerd, describeOnContainerd } from "../../packages/runtime-cri/test/containerd.js";
import { Registry } from "../../packages/runtime-cri/test/deep/registry.js";
import { root } from "../sources.js";
import { hooklet, until, type V1ContainerStatus, type V1Pod, Workplace } from "../support/agent.js";

/** Of the pod of sub-path-expr.yaml. */
const HOST_PATH = "/var/log/pods";
const DOCS = path.join(root, "test/fixtures/kubernetes-docs");

describeOnContainerd("manifests as people have them, on containerd", () => {
  let containerd: Containerd;
  let registry: Registry;
  let place: Workplace;
  let config: string;

  beforeAll(async () => {
    containerd = await Containerd.start("docs");
    registry = await Registry.start({
      archives: {
        "library/nginx": containerd.archive("web"),
        "library/debian": containerd.archive("busybox"),
        "library/alpine": containerd.archive("busybox"),
        "library/host": containerd.archive("server"),
      },
    });
    await containerd.mirror("docker.io", registry.host);
    place = await Workplace.create();
    config = path.join(place.folder, "rc.json");
    await writeFile(
      config,
      JSON.stringify({
        node: { evictionHard: {} },
        runtime: { use: "cri", options: { endpoint: containerd.endpoint } },
      }),
    );
  }, 300_000);

  afterAll(async () => {
    await place?.remove();
    await registry?.stop();
    await containerd?.stop();
  }, 240_000);

  test("the examples come up or end well", async () => {
    const run = ["--config", config, "--manifests", path.join(root, "examples/manifests"), "--node-name", "here"];
    const { stdout, stderr, code } = await hooklet(
      ["run", "--once", "--port", "0", "--root-dir", path.join(place.folder, "once"), ...run],
      place.folder,
    );
    expect(stdout).toMatch(/^web-here\s+1\/1\s+Running/m);
    expect(stdout).toMatch(/^job-here\s+0\/1\s+Completed/m);
    expect(stdout).toMatch(/^pipeline-here\s+2\/2\s+Running/m);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  }, 300_000);

  test("the documentation's pods work as documented", async () => {
    await place.start("--config", config, "--node-name", "here");
    const files = ["init-containers", "lifecycle-events", "security-context", "dapi-envars-pod"];
    files.push("two-container-pod", "job-sidecar");
    for (const file of files) await fine("apply", "-f", path.join(DOCS, `${file}.yaml`));
    // Its hostPath is the log folder of the machine, which others may use.
    const onNode = path.join(place.folder, "on-the-node");
    await mkdir(onNode);
    const subPathExpr = await readFile(path.join(DOCS, "sub-path-expr.yaml"), "utf8");
    const file = path.join(place.folder, "sub-path-expr.yaml");
    await writeFile(file, subPathExpr.replace(HOST_PATH, onNode));
    await fine("apply", "-f", file);

    await until(
      "the pods that stay run",
      async () => {
        const names = ["lifecycle-demo", "security-context-demo", "dapi-envars-fieldref", "pod1"];
        const pods = await Promise.all(names.map((name) => place.pod(name)));
        return pods.every(isReady);
      },
      120,
    );
    expect(await fine("exec", "lifecycle-demo", "--", "cat", "/usr/share/message")).toBe(
      "Hello from the postStart handler\n",
    );

    const id = await fine("exec", "security-context-demo", "--", "id");
    expect(id).toMatch(/^uid=1000\S* gid=3000\S* groups=/);
    expect([2000, 3000, 4000].filter((group) => !new RegExp(`[=,]${group}\\b`).test(id))).toEqual([]);
    await fine("exec", "security-context-demo", "--", "sh", "-c", "echo hello > /data/demo/testfile");
    expect(await fine("exec", "security-context-demo", "--", "stat", "-c", "%u %g", "/data/demo/testfile")).toBe(
      "1000 2000\n",
    );

    const dapi = await place.pod("dapi-envars-fieldref");
    const { podIP } = (dapi?.status ?? {}) as { podIP?: string };
    expect(podIP).toMatch(/^10\./);
    // No API server, no service account: its name is empty, as for the kubelet's static pods.
    const environment = ["here", "dapi-envars-fieldref", "default", podIP, "", ""].join("\n");
    await until("its log", async () => {
      const { stdout } = await place.hooklet("logs", "dapi-envars-fieldref");
      return stdout.split("\n").length > 6;
    });
    expect(await fine("logs", "dapi-envars-fieldref")).toContain(environment);

    await until("the page of the other container", async () => {
      const page = await place.hooklet(
        ...["exec", "two-containers", "-c", "nginx-container", "--", "wget", "-qO-", "http://127.0.0.1/"],
      );
      return page.stdout === "Hello from the debian container\n";
    });
    const states = (list: readonly V1ContainerStatus[] = []) => list.map(({ state }) => Object.keys(state)[0]).join();
    // The one wrote the page and ends.
    await until("the end of the one that wrote it", async () => {
      const two = await place.pod("two-containers");
      return states(two?.status.containerStatuses) === "running,terminated";
    });

    await until("the job's end", async () => (await place.pod("myjob"))?.status.phase === "Succeeded");
    await until("the init container that waits for a service", async () => {
      const waiting = await place.pod("myapp-pod");
      return states(waiting?.status.initContainerStatuses) === "running,waiting";
    });
    const myapp = await place.pod("myapp-pod");
    expect(myapp?.status.phase).toBe("Pending");
    expect(myapp?.status.containerStatuses?.[0]?.state.waiting?.reason).toBe("PodInitializing");

    await until("its file on the node", async () =>
      readFile(path.join(onNode, "pod1/hello.txt"), "utf8").then(
        (text) => text.startsWith("Hello\n"),
        () => false,
      ),
    );

    // Neither program minds TERM: the default of 30 s would pass.
    await fine("delete", "pod", "lifecycle-demo", "pod1", "--grace-period", "2");
    expect((await fine("events")).match(/FailedPreStopHook/)).toBeNull();
    expect(await readFile(path.join(onNode, "pod1/hello.txt"), "utf8")).toContain("Hello\n");
  }, 400_000);

  async function fine(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await place.hooklet(...args);
    expect({ args, code, stderr: code === 0 ? "" : stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  }
});

function isReady(pod: V1Pod | undefined): boolean {
  return pod?.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
