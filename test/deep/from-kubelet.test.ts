/** `hooklet check --from-kubelet` on files that kubelets have: what comes out is an rc file that an agent starts with. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { root } from "../sources.js";
import { Workplace } from "../support/agent.js";

const LIMIT = 300_000;
const fixture = (name: string): Promise<string> => readFile(path.join(root, "test/fixtures/kubelet", name), "utf8");

let place: Workplace;
beforeEach(async () => {
  place = await Workplace.create();
});
afterEach(() => place.remove(), LIMIT);

interface Made {
  readonly code: number;
  readonly rc: Readonly<Record<string, unknown>>;
  readonly reported: readonly string[];
}

/** The rc file is `.hookletrc.yaml`. */
async function made(text: string): Promise<Made> {
  const file = path.join(place.folder, "config.yaml");
  await writeFile(file, text);
  const { code, stdout, stderr } = await place.hooklet("check", "--from-kubelet", file);
  await writeFile(path.join(place.folder, ".hookletrc.yaml"), stdout);
  return { code, rc: parse(stdout) as Made["rc"], reported: stderr.trim().split("\n") };
}

test(
  "kubeadm's: all its zeros are the defaults, the server waits for a kubeconfig, and the agent starts",
  async () => {
    const { code, rc, reported } = await made(await fixture("kubeadm.yaml"));
    expect({ code, errors: reported.filter((line) => line.startsWith("error")) }).toEqual({ code: 0, errors: [] });
    expect(rc).toMatchObject({
      node: { clusterDNS: ["10.96.0.10"], clusterDomain: "cluster.local" },
      sources: { manifests: "/etc/kubernetes/manifests" },
      port: 10_248,
    });
    expect(rc).not.toHaveProperty("server");
    expect(rc.runtime).toEqual({ use: "cri", options: { endpoint: "unix:///run/containerd/containerd.sock" } });
    // Of durations only those that are off by it.
    expect(
      JSON.stringify(rc)
        .match(/"\w+":"0s"/g)
        ?.sort(),
    ).toEqual(['"imageMaximumGCAge":"0s"', '"shutdownGracePeriod":"0s"', '"shutdownGracePeriodCriticalPods":"0s"']);
    for (const field of ["authentication", "authorization"])
      expect(reported).toContainEqual(
        expect.stringMatching(`^no counterpart: (.*, )?${field}(,.*)?: .*sources\\.kube\\.kubeconfig`),
      );
    const checked = await place.hooklet("check");
    expect(checked.code).toBe(0);
    // Of what this machine does not have.
    expect(checked.stderr).toMatch(/^(?:warning: .* there is no (?:socket|directory) .*\n)*$/);
    // No containerd is asked for here: the runtime is another one, and said so.
    await place.start("--runtime", "process");
  },
  LIMIT,
);

test(
  "with what a kubelet says of itself at /configz: its server is the agent's",
  async () => {
    const { kubeletconfig } = JSON.parse(await fixture("configz.json")) as { readonly kubeletconfig: object };
    const { code, rc, reported } = await made(JSON.stringify({ kind: "KubeletConfiguration", ...kubeletconfig }));
    expect({ code, errors: reported.filter((line) => line.startsWith("error")) }).toEqual({ code: 0, errors: [] });
    expect(rc).toMatchObject({
      server: { address: "127.0.0.1", port: 10_250, authorization: { mode: "AlwaysAllow" } },
      runtime: { use: "cri", options: { endpoint: "unix:///run/containerd/containerd.sock" } },
      node: { maxPods: 250 },
    });
  },
  LIMIT,
);

test(
  "check reports a server without authentication",
  async () => {
    await writeFile(path.join(place.folder, ".hookletrc.yaml"), "server: {}\n");
    const { code, stderr } = await place.hooklet("check");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: server\.authorization\.mode is Webhook: .*sources\.kube/);
  },
  LIMIT,
);
