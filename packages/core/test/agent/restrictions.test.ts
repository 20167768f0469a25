import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import type { Restrictions, SourceRestrictions } from "../../src/admission/restrictions.js";
import type { PodSource, SourceSink } from "../../src/sources/port.js";
import { aContainer, aPod } from "../pod/pods.js";
import { type NodeParts, TestNode } from "./node.js";

const all: Restrictions = {
  refusePrivileged: true,
  refuseHostNamespaces: true,
  allowedHostPaths: [],
  refuseProbeHosts: true,
};

class Restricted extends TestNode {
  constructor(
    public restrictions: SourceRestrictions,
    parts: NodeParts = {},
  ) {
    super(parts);
  }

  override options() {
    const options = super.options();
    const sources = { ...options.config.sources, restrictions: this.restrictions };
    return { ...options, config: { ...options.config, sources } };
  }
}

test("a pod of a restricted source is Failed with the reason, and the same pod of another source runs", async () => {
  const here = new Restricted({ control: all });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
  const manifest = (name: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { hostPID: true, containers: [{ name: "main", image: "app:1" }] },
    });
  await here.agent.api.apply(manifest("one"), "-f");
  await here.manifest("two.json", manifest("two"));
  await here.clock.advance(2_000);
  expect(here.status("one")).toMatchObject({ phase: "Failed", reason: "SourceRestricted" });
  expect(here.status("two").phase).toBe("Running");
});

/** A node whose cluster says what `say` is given. */
async function clusterNode(restrictions: SourceRestrictions) {
  const known = new Map<string, Pod>();
  let sink: SourceSink | undefined;
  const kube: PodSource = {
    name: "kube",
    start: async (given) => {
      sink = given;
      given.desired([...known.values()]);
    },
    stop: async () => {},
  };
  const here = new Restricted(restrictions, { sources: () => [kube] });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
  const say = async (pod: Pod): Promise<void> => {
    known.set(pod.metadata.uid, pod);
    sink?.changed({ set: [pod] });
    await here.clock.advance(20_000);
  };
  return { here, say };
}

const web = aPod({ containers: [aContainer("main", { image: "app:1" })] });
const debug = { name: "debug", image: "app:1", securityContext: { privileged: true } };
const look = { name: "look", image: "app:1" };
const debugged: Pod = { ...web, spec: { ...web.spec, ephemeralContainers: [debug, look] } };

test("an ephemeral container of a restricted source does not start where it is privileged, and its pod runs on", async () => {
  const { here, say } = await clusterNode({ others: all });
  await say(web);
  await say(debugged);
  const message = expect.stringContaining("privileged of container debug");
  expect(here.status(web.metadata.name)).toMatchObject({
    phase: "Running",
    ephemeralContainerStatuses: [
      { name: "debug", state: { waiting: { reason: "PreCreateHookError", message } } },
      { name: "look", state: { running: {} } },
    ],
  });
  await here.stop();
  await here.start();
  await here.clock.advance(20_000);
  expect(here.status(web.metadata.name).phase).toBe("Running");
});

test("a pod whose ephemeral container runs when the rule comes is stopped", async () => {
  const { here, say } = await clusterNode({});
  await say(web);
  await say(debugged);
  await here.stop();
  here.restrictions = { others: all };
  await here.start();
  await here.clock.advance(60_000);
  expect(here.status(web.metadata.name)).toMatchObject({ phase: "Failed", reason: "SourceRestricted" });
});
