import type { AskedRoot } from "@hooklet/cri-api";
import type { Container, Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import type { Restrictions, SourceRestrictions } from "../../../src/admission/restrictions.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import type { PodStatus } from "../../../src/pod/status/status-types.js";
import type { PodSource, SourceSink } from "../../../src/sources/port.js";
import { type NodeParts, TestNode } from "../../agent/node.js";
import { aContainer, aPod } from "../../pod/pods.js";

const all: Restrictions = {
  refusePrivileged: true,
  refuseHostNamespaces: true,
  allowedHostPaths: [],
  refuseProbeHosts: true,
};

const none: Restrictions = {
  refusePrivileged: false,
  refuseHostNamespaces: false,
  allowedHostPaths: null,
  refuseProbeHosts: false,
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
async function clusterNode(restrictions: SourceRestrictions, plugins: readonly LoadedPlugin[] = []) {
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
  const here = new Restricted(restrictions, { sources: () => [kube], plugins });
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

describe("on a runtime whose images may show the node's own files", () => {
  /** The one that the process runtime is, by the port's words. */
  async function chroots(restrictions: SourceRestrictions) {
    const here = new Restricted(restrictions);
    Object.assign(here.runtime, {
      reachesNodeFiles: async ({
        image,
        runAsUser,
        noNewPrivs,
        ownProcesses,
      }: AskedRoot): Promise<string | undefined> => {
        if ((await here.runtime.imageStatus(image)) === undefined) return undefined;
        if (image === "host") return "image host";
        if (!ownProcesses) return "the machine's processes";
        return runAsUser === 7 && noNewPrivs ? undefined : "user 0";
      },
    });
    for (const name of ["app:1", "host"]) here.runtime.addImage({ id: `sha256:${name}`, names: [name], size: 1 });
    await here.start();
    const run = async (name: string, container: Partial<Container>, spec: object = {}): Promise<PodStatus> => {
      const containers = [{ name: "main", image: "app:1", ...container }];
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { ...spec, containers } };
      await here.manifest(`${name}.json`, JSON.stringify(pod));
      await here.clock.advance(5_000);
      return here.status(name);
    };
    return { here, run };
  }
  const listed: Restrictions = { ...none, allowedHostPaths: ["/srv"] };
  const harmless = { securityContext: { runAsUser: 7, allowPrivilegeEscalation: false } };

  test("with a list of host paths a container that comes to other files is refused by name", async () => {
    const { run } = await chroots({ others: listed });
    const refused = { phase: "Failed", reason: "SourceRestricted" };
    expect(await run("host", { ...harmless, image: "host" })).toMatchObject({
      ...refused,
      message: expect.stringContaining("may not ask for image host of container main (sources.restrictions)"),
    });
    expect(await run("root", {})).toMatchObject(refused);
    expect(await run("setuid", { securityContext: { runAsUser: 7 } })).toMatchObject(refused);
    expect(await run("shared", harmless, { shareProcessNamespace: true })).toMatchObject(refused);
    expect((await run("other", harmless)).phase).toBe("Running");
  });

  test.each<[string, SourceRestrictions]>([
    ["where nothing is restricted", {}],
    ["where all paths are listed", { others: { ...all, allowedHostPaths: ["//"] } }],
    ["where only other sources are", { control: listed }],
  ])("%s it is not asked for", async (_name, restrictions) => {
    const { run } = await chroots(restrictions);
    expect((await run("host", { image: "host" })).phase).toBe("Running");
  });

  test("an image that comes only when the pod is long admitted does not start", async () => {
    const { here, run } = await chroots({ others: listed });
    expect((await run("late", { image: "late:1" })).phase).toBe("Pending");
    here.runtime.addImage({ id: "sha256:late", names: ["late:1"], size: 1 });
    await here.clock.advance(60_000);
    const message = expect.stringContaining(
      "SourceRestricted: Pods of source file may not ask for user 0 of container main",
    );
    expect(here.status("late")).toMatchObject({
      phase: "Pending",
      containerStatuses: [{ state: { waiting: { reason: "PreCreateHookError", message } } }],
    });
  });

  test("a pod that runs so when the rule comes is stopped", async () => {
    const { here, run } = await chroots({});
    expect((await run("host", { image: "host" })).phase).toBe("Running");
    await here.stop();
    here.restrictions = { others: listed };
    await here.start();
    await here.clock.advance(60_000);
    expect(here.status("host")).toMatchObject({ phase: "Failed", reason: "SourceRestricted" });
  });

  test("refusing privileged pods without a list of paths gives a warning that root reaches the node's files", async () => {
    const { here } = await chroots({ others: { ...none, refusePrivileged: true } });
    expect(here.events()).toContainEqual(
      expect.stringMatching(/^RestrictionsNotHeld: sources\.restrictions\.others\.refusePrivileged /),
    );
    const { here: other } = await chroots({ others: all });
    expect(other.events().filter((text) => text.startsWith("RestrictionsNotHeld"))).toEqual([]);
  });
});

test("where privileged containers are refused, one that names no seccomp profile gets the runtime's", async () => {
  const seccomp = async (restrictions: SourceRestrictions, spec: Partial<Pod["spec"]>) => {
    const { here, say } = await clusterNode(restrictions);
    await say(aPod({ containers: [aContainer("main", { image: "app:1" })], ...spec }));
    return here.runtime.configOf("web-node1", "main").linux.securityContext.seccomp.profileType;
  };
  const others = { ...none, refusePrivileged: true };
  expect(await seccomp({ others }, {})).toBe("RuntimeDefault");
  expect(await seccomp({ others: none }, {})).toBe("Unconfined");
  const localhost = { seccompProfile: { type: "Localhost", localhostProfile: "own.json" } };
  expect(await seccomp({ others }, { securityContext: localhost })).toBe("Localhost");
});

test("what a plugin mounts has to be on the source's list, as a hostPath has", async () => {
  const mounting: LoadedPlugin = {
    plugin: {
      meta: { name: "mounting", api: 1 },
      start(ctx) {
        ctx.hooks.containerStart.tap(async (plan) => {
          const mount = { readonly: false, selinuxRelabel: false, propagation: "PRIVATE" } as const;
          plan.addMount({ containerPath: "/x", hostPath: "/etc/shadow", ...mount });
        });
      },
    },
    options: {},
    specifier: "mounting",
    origin: "test",
    file: "mounting",
  };
  const phaseWith = async (allowedHostPaths: readonly string[] | null) => {
    const { here, say } = await clusterNode({ others: { ...none, allowedHostPaths } }, [mounting]);
    await say(aPod({ containers: [aContainer("main", { image: "app:1", command: ["until-term"] })] }));
    return here.status("web-node1").containerStatuses?.[0]?.state;
  };
  expect(await phaseWith(["/srv"])).toMatchObject({
    waiting: { reason: "PreCreateHookError", message: expect.stringContaining("a plugin mounts /etc/shadow at /x") },
  });
  expect(await phaseWith(["/etc"])).toHaveProperty("running");
  expect(await phaseWith(null)).toHaveProperty("running");
});
