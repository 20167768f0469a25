/** The plugin: one node of a cluster, of its parts. */
import {
  errorText,
  type NodeContext,
  type NodePlugin,
  type NodeView,
  type PluginInstance,
  type Pod,
} from "@hooklet/core";
import { accountOf, admitPod, matchesNodeAffinity, wantsFreshNode } from "@hooklet/core/rules";
import { NodeIdentity } from "./certificates/identity.js";
import { isApiError } from "./client/api-error.js";
import { EventWriter } from "./events/event-writer.js";
import { createClients } from "./kube-clients.js";
import { kubeMetrics } from "./metrics.js";
import { claimNode } from "./node/claim.js";
import { renewLease } from "./node/lease.js";
import { NodeLease } from "./node/node-lease.js";
import { NodeMirror, writableLabels } from "./node/node-mirror.js";
import { nodeReader } from "./node/node-reader.js";
import { KUBELET_VERSION } from "./node/node-status.js";
import { NodeSync } from "./node/node-sync.js";
import { agentId } from "./node/other-agent.js";
import { NodeOwnership } from "./node/ownership.js";
import { KubeReviews } from "./objects/reviews.js";
import { KubeServices } from "./objects/services.js";
import { ObjectStore } from "./objects/store.js";
import { type KubeOptions, options } from "./options.js";
import { unsupported } from "./pods/api-pod.js";
import { isStatic, Mirrors } from "./pods/mirrors.js";
import { KubePods } from "./pods/pod-source.js";
import { endedContainers, PodTable } from "./pods/pod-table.js";
import { runtimeHandler } from "./pods/runtime-class.js";
import { StatusWriter } from "./pods/status-writer.js";
import { applyInPlace, tellGates } from "./pods/update.js";

export const NAME = "@hooklet/source-kube";
/** hooklet's own: the pods of the cluster that run here are ended, because they belong to another agent. */
const OUSTED = "NodeTakenOver";

export interface KubePluginParts {
  /** From 0 to below 1. */
  readonly random?: () => number;
  /** In place of real connections, for tests and simulations. */
  readonly clients?: typeof createClients;
}

export function createKubePlugin({
  random = Math.random,
  clients = createClients,
}: KubePluginParts = {}): NodePlugin<KubeOptions> {
  return {
    meta: { name: NAME, api: 1, description: "A node of a Kubernetes cluster" },
    options,
    start(ctx, given) {
      const ofNode = nodeParts(ctx, given, { random, clients });
      const parts = { ...ofNode, ...podParts(ofNode) };
      tapAdmission(parts);
      provide(parts);
      return instance(parts);
    },
  };
}

type NodeParts = ReturnType<typeof nodeParts>;
type Parts = NodeParts & ReturnType<typeof podParts>;

/** The node in the API: its credentials and connections, its lease, its Node. */
function nodeParts(ctx: NodeContext, given: KubeOptions, { random, clients: connect }: Required<KubePluginParts>) {
  const { clock, log, signal } = ctx;
  const metrics = kubeMetrics(ctx);
  const userAgent = `kubelet/${KUBELET_VERSION} (hooklet)`;
  /** Reports errors of background work, which continues until the agent stops. */
  const report = (where: string, error: unknown): void => {
    if (signal.aborted) return;
    if (isApiError(error))
      log.warn({ where, status: error.status, reason: error.reason }, `${where}: ${error.message}`);
    else log.error({ where, err: error }, `${where}: ${errorText(error)}`);
  };
  const identity = new NodeIdentity({
    ctx,
    options: given,
    random,
    userAgent,
    addresses: () => nodeSync.node?.status?.addresses ?? [],
    report,
  });
  const clients = connect(given, { credentials: identity.credentials, clock, userAgent, answered: metrics.answered });
  const nodeLease = new NodeLease(clock, given.nodeLeaseDurationSeconds);
  const ownership = new NodeOwnership({
    checkpoint: ctx.checkpoint("held"),
    nodeLease,
    nodeName: ctx.node.name,
    server: () =>
      identity.credentials.current().then(
        (credentials) => credentials.server,
        () => given.kubeconfig,
      ),
    report,
  });
  const mirror = new NodeMirror(ctx.node, report);
  const reader = nodeReader(ctx);
  const nodeSync = new NodeSync({
    client: clients.heartbeat,
    watches: clients.watches,
    clock,
    random,
    nodeName: ctx.node.name,
    registerNode: given.registerNode,
    registration: () => ({
      name: ctx.node.name,
      labels: writableLabels(mirror.ownLabels()),
      taints: mirror.ownTaints(),
      providerID: given.providerID,
    }),
    status: (before) => reader.read(before),
    notReady: () => reader.notReady(),
    watchConditions: (listener) => ctx.node.watchConditions(listener),
    nodeStatusUpdateFrequency: given.nodeStatusUpdateFrequency,
    nodeStatusReportFrequency: given.nodeStatusReportFrequency,
    seen: (seen) => mirror.seen(seen),
    nodeLease,
    transition: (reason) => ctx.events.node("Normal", reason, `Node ${ctx.node.name} status is now: ${reason}`),
    report,
  });
  return { ctx, given, random, metrics, identity, clients, nodeLease, ownership, nodeSync, report };
}

/** The pods of the API: what is read for them, and what is written of them. */
function podParts({ ctx, random, metrics, clients, nodeLease, ownership, nodeSync, report }: NodeParts) {
  const { clock, log, signal } = ctx;
  const hostIP = ctx.node.ip;
  const table = new PodTable();
  const writer = new StatusWriter({ client: clients.statuses, clock, table, hostIP, took: metrics.statusReported });
  const mirrors = new Mirrors({
    client: clients.statuses,
    table,
    writer,
    hostIP,
    node: () => (nodeSync.uid === undefined ? undefined : { name: ctx.node.name, uid: nodeSync.uid }),
  });
  const objects = new ObjectStore({ client: clients.general, watches: clients.watches, clock, random, report });
  const services = new KubeServices({ watches: clients.watches, clock, random, report });
  const events = new EventWriter({
    client: clients.events,
    clock,
    signal,
    dropped: (why, error) => {
      metrics.eventDropped(why);
      if (error !== undefined) log.debug({ why }, `an event was dropped: ${errorText(error)}`);
    },
  });
  /** Pods of the control socket are unknown to the cluster, and so are their namespaces. */
  const isOurs = (kind: string | undefined, uid: string): boolean => {
    if (kind !== "Pod" || table.has(uid)) return true;
    const pod: Pod | undefined = ctx.pods.get(uid);
    return pod !== undefined && isStatic(pod);
  };
  const pods = new KubePods({
    watches: clients.watches,
    clock,
    random,
    nodeName: ctx.node.name,
    table,
    writer,
    mirrors,
    nodeKnown: nodeSync.known,
    nodeLease,
    ownership,
    signal,
    came: (pod) => objects.refer(pod),
    statusSeen: (pod) => tellGates(ctx.pods, pod),
    gone: (uid) => objects.forget(uid),
    ousted: () => {
      const { holder } = ownership;
      const advice = "stop one of the two, or give it another node.name";
      const message = `another agent (${holder}) has node ${ctx.node.name}, and renews its lease: the pods of the cluster that run here are ended; ${advice}`;
      log.warn({ holder }, message);
      ctx.events.node("Warning", OUSTED, message);
    },
    shown: (uid) => ctx.pods.get(uid),
    all: () => (ctx.pods.sourcesReady() ? ctx.pods.list() : undefined),
    event: (event) => {
      // Events about this agent's copies do not apply to the pods of the agent that has the node.
      if (nodeLease.isLost && event.reason !== OUSTED) return;
      if (isOurs(event.involvedObject.kind, event.involvedObject.uid ?? "")) events.add(event);
    },
    report,
  });
  return { table, objects, services, pods };
}

function tapAdmission({ ctx, clients, table, nodeSync, report }: Parts): void {
  // A pod may ask for labels that the Node has only just got: it is read again before core's predicates.
  ctx.hooks.podAdmit.tap(async (verdict, { pod, otherPods, isTakenOver, signal: cut }) => {
    if (!verdict.admitted || !table.has(pod.metadata.uid) || isTakenOver) return;
    const facts = ctx.node.facts();
    // Most pods stop here: adding up the node's pods costs more.
    if (matchesNodeAffinity(pod, facts)) return;
    if (!wantsFreshNode(admitPod(pod, facts, accountOf(otherPods), { missingExtendedResources: "reject" }))) return;
    await nodeSync.refresh(clients.looks, cut).catch((error: unknown) => {
      if (!cut.aborted) report("node that a pod asks for", error);
    });
  });
  ctx.hooks.podAdmit.tap((verdict, { pod }) => {
    const { runtimeClassName } = pod.spec;
    if (!table.has(pod.metadata.uid)) return;
    const refused = unsupported(pod);
    if (refused !== undefined) {
      verdict.beforeSandbox(() => {
        throw new Error(refused);
      });
    }
    if (runtimeClassName === undefined) return;
    verdict.beforeSandbox(async (plan) => {
      plan.setRuntimeHandler(await runtimeHandler(clients.general, runtimeClassName, plan.signal));
    });
  });
}

/** What the agent gets of the cluster. */
function provide({ ctx, identity, clients, table, objects, services, pods }: Parts): void {
  const tokens = new KubeReviews(clients.general);
  const [who, what] = [new KubeReviews(clients.tokenReviews), new KubeReviews(clients.accessReviews)];
  ctx.addSource(pods);
  ctx.provide.readinessGates(["*"]);
  ctx.provide.objects({
    read: objects.read.bind(objects),
    watch: (listener) => objects.watch(listener),
    createToken: (account, spec, cut) => tokens.createToken(account, spec, cut),
    services: (namespaces, cut) => services.list(namespaces, cut),
  });
  ctx.provide.reviews({
    reviewToken: (spec, cut) => who.reviewToken(spec, cut),
    reviewAccess: (spec, cut) => what.reviewAccess(spec, cut),
  });
  if (identity.servingCertificate !== undefined) ctx.provide.servingCertificate(identity.servingCertificate);
  clients.reach.onReturn(() => pods.reachable());
  ctx.pods.onUpdate((before, after) => table.has(after.metadata.uid) && applyInPlace(ctx.pods, before, after));
}

function instance(parts: Parts): PluginInstance {
  const { ctx, random, clients, ownership, nodeSync, table, objects, services, report } = parts;
  let running: Promise<unknown> = Promise.resolve();
  return {
    async open(observed: NodeView) {
      await ownership.open();
      table.found(endedContainers(observed));
      ctx.events.node("Normal", "Starting", "Starting kubelet.");
      const id = await agentId({ checkpoint: ctx.checkpoint("agent"), random, report });
      running = exchange(parts, id).catch((error: unknown) => report("exchange with the API server", error));
    },
    health() {
      const registered = nodeSync.uid !== undefined;
      if (ownership.holder !== undefined)
        return { ok: false, message: `node ${ctx.node.name} is held by another agent (${ownership.holder})` };
      return {
        ok: true,
        message: registered ? `node ${ctx.node.name} is registered` : "the node is not registered yet",
      };
    },
    async stop() {
      await Promise.all([objects.stop(), services.stop()]);
      await clients.close();
      await running;
    },
  };
}

/** Claims the node and holds it, until the agent stops. */
async function exchange(parts: Parts, id: string): Promise<void> {
  const { ctx, given, random, identity, clients, nodeLease, ownership, nodeSync, services, report } = parts;
  const { clock, signal } = ctx;
  await identity.ready(signal);
  services.start();
  const lease = {
    client: clients.heartbeat,
    clock,
    random,
    nodeName: ctx.node.name,
    agentId: id,
    nodeUid: () => nodeSync.uid,
    nodeLeaseDurationSeconds: given.nodeLeaseDurationSeconds,
    nodeLease,
    heldBy: (by: string | undefined) => {
      ownership.holder = by;
    },
    report,
  };
  const live = async (): Promise<void> => {
    const claimed = await claimNode(lease, signal);
    await Promise.all([nodeSync.run(signal), renewLease({ ...lease, claimed }, signal)]);
  };
  await Promise.all([live(), identity.run(clients.general, signal)]);
}
