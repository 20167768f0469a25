/** The three pods that a kubelet 1.33 was given: what hooklet hands to containerd and shows, against what the kubelet did. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Pod } from "@hooklet/core";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Containerd, describeOnContainerd, temporaryFolder } from "../containerd.js";
import { CriNode } from "../node.js";

interface Handed {
  readonly config: { readonly labels: Record<string, string> } & Record<string, unknown>;
}
interface Recorded {
  readonly sandboxes: readonly Handed[];
  readonly containers: readonly Handed[];
}

const read = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as T;
const recorded = read<Recorded>("../golden/cri-objects.json");
const manifests = read<Pod[]>("../../../core/test/golden/manifests.json");
const shown = read<{ items: Pod[] }>("../../../core/test/golden/pods.json");
const PODS = manifests.map(({ metadata }) => metadata.name);

/** Fields that differ on purpose: what hooklet hands over (undefined = nothing) in place of the kubelet's value. */
const MEANT: readonly {
  readonly of: "sandbox" | "container";
  readonly field: readonly string[];
  readonly why: string;
}[] = [
  { of: "sandbox", field: ["linux", "cgroup_parent"], why: "pod cgroups are plugin-cgroups' work, still to come" },
  {
    of: "sandbox",
    field: ["linux", "resources"],
    why: "computed with the pod's cgroup by plugin-cgroups, still to come",
  },
  {
    of: "sandbox",
    field: ["annotations", "hooklet.dev/holds"],
    why: "what the pod holds of the node, for an agent that restarts while the pod's source is silent",
  },
  {
    of: "sandbox",
    field: ["annotations", "hooklet.dev/source"],
    why: "the source that brought the pod, which keeps it over restarts of the agent",
  },
  {
    of: "sandbox",
    field: ["annotations", "hooklet.dev/root-dir"],
    why: "the agent that made it: another one on the same runtime would stop the pod, and does not start",
  },
  {
    of: "container",
    field: ["linux", "resources"],
    why: "containers' cgroup values are plugin-cgroups' work, still to come",
  },
];

describeOnContainerd("what a kubelet 1.33 hands to containerd and shows", () => {
  let containerd: Containerd;
  let node: CriNode;
  let scratch: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeAll(async () => {
    containerd = await Containerd.start("golden");
    scratch = await temporaryFolder();
    const resolvConf = path.join(scratch.folder, "resolv.conf");
    await writeFile(resolvConf, "nameserver 10.0.0.53\n");
    node = await CriNode.create(containerd.endpoint, {
      node: { ip: "192.0.2.10", resolvConf, capacity: { cpu: "2", memory: "4Gi" } },
    });
    for (const manifest of manifests) await node.manifest(`${manifest.metadata.name}.json`, manifest);
    await node.start();
    await node.ready(...PODS);
  }, 240_000);

  afterAll(async () => {
    await node?.remove();
    await containerd?.stop();
    await scratch?.remove();
  }, 120_000);

  test.each(PODS)("the sandbox of pod %s", async (name) => {
    const { uid } = podOf(name).metadata;
    const { id } = (await node.runtime.listSandboxes({ podUid: uid }))[0] ?? { id: "" };
    expect(compared(await handed("sandbox", id), "sandbox", uid)).toEqual(golden(recorded.sandboxes, "sandbox", name));
  });

  test.each(PODS)("the container of pod %s", async (name) => {
    const { uid } = podOf(name).metadata;
    const { id } = (await node.runtime.listContainers({ podUid: uid }))[0] ?? { id: "" };
    expect(compared(await handed("container", id), "container", uid)).toEqual(
      golden(recorded.containers, "container", name),
    );
  });

  test.each(PODS)("the status of pod %s", (name) => {
    const theirs = shown.items.find(({ metadata }) => metadata.name === `${name}-node1`);
    expect(comparable(podOf(name))).toEqual(comparable(theirs));
  });

  function podOf(name: string): Pod {
    const pod = node.pod(name);
    if (pod === undefined) throw new Error(`pod ${name} is not there`);
    return pod;
  }

  /** What containerd keeps of the request, as JSON. */
  async function handed(kind: "sandbox" | "container", id: string): Promise<Record<string, unknown>> {
    const info = JSON.parse(await containerd.ctr("containers", "info", id)) as {
      Extensions: Record<string, { value: string }>;
    };
    const { value } = info.Extensions[`io.cri-containerd.${kind}.metadata`] ?? { value: "" };
    const text = Buffer.from(value, "base64").toString("utf8");
    return (JSON.parse(text) as { Metadata: { Config: Record<string, unknown> } }).Metadata.Config;
  }
});

function golden(list: readonly Handed[], kind: "sandbox" | "container", name: string): unknown {
  const found = list.find(({ config }) => config.labels["io.kubernetes.pod.name"] === `${name}-node1`);
  if (found === undefined) throw new Error(`nothing recorded of ${name}`);
  return compared(found.config, kind, found.config.labels["io.kubernetes.pod.uid"] ?? "");
}

/** Without what differs from run to run (uids, times, ids, folders) and what is meant to differ. */
function compared(config: Record<string, unknown>, kind: "sandbox" | "container", uid: string): unknown {
  const copy = JSON.parse(
    JSON.stringify(config, (key, value: unknown) => {
      if (typeof value !== "string") return value;
      if (key === "kubernetes.io/config.seen") return "<time>";
      if (key === "host_path") return hostPath(value);
      if (key === "log_directory") return path.basename(value).replace(uid, "<uid>");
      return value.replace(/^sha256:[0-9a-f]{64}$/, "<image>").replaceAll(uid, "<uid>");
    }),
  ) as Record<string, unknown>;
  for (const { of, field } of MEANT) if (of === kind) remove(copy, field);
  return copy;
}

/** Below the root dir as in the kubelet's; the termination log's last part is random there. */
function hostPath(value: string): string {
  const below = value.slice(value.indexOf("/pods/")).replace(/^\/pods\/[^/]+/, "<pod>");
  return below.replace(/(\/containers\/[^/]+\/)[0-9a-f]{8}$/, "$1<random>");
}

function remove(from: Record<string, unknown>, [first = "", ...rest]: readonly string[]): void {
  if (rest.length === 0) delete from[first];
  else if (typeof from[first] === "object" && from[first] !== null)
    remove(from[first] as Record<string, unknown>, rest);
}

/** Ids, times and addresses differ from run to run; the image has another id on every machine. */
function comparable(pod: Pod | undefined): unknown {
  return JSON.parse(
    JSON.stringify({ metadata: pod?.metadata, spec: pod?.spec, status: pod?.status }, (key, value: unknown) => {
      if (["uid", "kubernetes.io/config.hash", "kubernetes.io/config.seen"].includes(key)) return "<uid or time>";
      if (["lastTransitionTime", "startTime", "startedAt"].includes(key)) return "<time>";
      if (key === "podIP" || key === "ip") return "<address>";
      if (key === "containerID") return typeof value === "string" ? value.replace(/[0-9a-f]{64}/, "<id>") : value;
      if (key === "imageID") return "<image>";
      // Put on for clients; a kubelet without an API server shows neither.
      return ["creationTimestamp", "hostIP", "hostIPs"].includes(key) ? undefined : value;
    }),
  );
}
