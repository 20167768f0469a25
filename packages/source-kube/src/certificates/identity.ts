/** Who the node is to the API server: its credentials, the first of them, and those that follow. */

import { join } from "node:path";
import { errorText, type NodeContext } from "@hooklet/core";
import type { ServingCertificate } from "@hooklet/core/subsystem";
import { CredentialFiles } from "../client/credentials.js";
import { type Client, createClient } from "../kube-clients.js";
import type { KubeOptions } from "../options.js";
import { bootstrapped } from "./bootstrap.js";
import { CertificateManager } from "./certificate-manager.js";
import { isOf, isOver } from "./pair.js";
import { PairStore } from "./pair-store.js";
import { requestPair } from "./request.js";
import { clientCertificate, servingCertificate } from "./wanted.js";

interface IdentityParts {
  readonly ctx: Pick<NodeContext, "clock" | "log" | "node" | "metrics">;
  readonly options: KubeOptions;
  readonly random: () => number;
  readonly userAgent: string;
  /** Addresses of the Node in the API, which the approver compares with; empty: it is not registered yet. */
  addresses(): readonly { readonly type: string; readonly address: string }[];
  report(where: string, error: unknown): void;
}

export class NodeIdentity {
  readonly credentials: CredentialFiles;
  readonly #clientStore: PairStore;
  readonly #watchers = new Set<() => void>();
  readonly #client: CertificateManager | undefined;
  readonly #serving: CertificateManager | undefined;
  #general: Client | undefined;

  constructor(private readonly parts: IdentityParts) {
    const { ctx, options } = parts;
    const { clock, node } = ctx;
    const folder = options.certDirectory ?? join(node.rootDir, "pki");
    this.#clientStore = new PairStore(folder, "kubelet-client", clock);
    const { rotateCertificates, serverTLSBootstrap } = options;
    this.credentials = new CredentialFiles(
      options.kubeconfig,
      clock,
      rotateCertificates ? this.#clientStore.currentPath : undefined,
    );
    if (rotateCertificates) this.#client = this.#manager("client", this.#clientStore);
    if (serverTLSBootstrap) this.#serving = this.#manager("server", new PairStore(folder, "kubelet-server", clock));
    certificateMetrics(ctx, { client: this.#client, server: this.#serving });
  }

  /** For `ctx.provide.servingCertificate`; undefined: not configured. */
  get servingCertificate(): ServingCertificate | undefined {
    const manager = this.#serving;
    if (manager === undefined) return undefined;
    return {
      current: () => manager.current,
      watch: (listener) => {
        this.#watchers.add(listener);
        return () => void this.#watchers.delete(listener);
      },
    };
  }

  /** Resolves once the node has its client certificate. Rejects with the signal's reason. */
  async ready(signal: AbortSignal): Promise<void> {
    const { ctx, options, random, report } = this.parts;
    const { bootstrapKubeconfig, kubeconfig } = options;
    if (bootstrapKubeconfig === undefined) return;
    const { client, close } = this.#bootstrapClient(bootstrapKubeconfig);
    const nodeName = ctx.node.name;
    const info = (text: string): void => ctx.log.info({ kubeconfig }, text);
    const failed = (error: unknown): void => report("bootstrap of the node's certificate", error);
    const { credentials } = this;
    const store = this.#clientStore;
    const { clock } = ctx;
    const ports = {
      clock,
      random,
      nodeName,
      kubeconfig,
      bootstrapKubeconfig,
      store,
      credentials,
      client,
      info,
      failed,
    };
    await bootstrapped(ports, signal).finally(close);
  }

  /** Rotates until the signal aborts; after `ready`. */
  async run(general: Client, signal: AbortSignal): Promise<void> {
    this.#general = general;
    const managers = [this.#client, this.#serving].filter((manager) => manager !== undefined);
    for (const manager of managers) await manager.load();
    for (const listener of this.#watchers) listener();
    await Promise.all(managers.map((manager) => manager.run(signal)));
  }

  #manager(kind: "client" | "server", store: PairStore): CertificateManager {
    const { addresses, ctx, random, report } = this.parts;
    const { clock, log, node } = ctx;
    return new CertificateManager({
      clock,
      random,
      store,
      wanted: () => (kind === "client" ? clientCertificate(node.name) : servingCertificate(node.name, addresses())),
      request: (wanted, signal) =>
        this.#asking(kind, (client) => requestPair({ client, clock, random, store }, wanted, signal)),
      changed: ({ notAfter }) => {
        log.info({ kind, notAfter: new Date(notAfter).toISOString() }, `the node's ${kind} certificate was rotated`);
        if (kind === "server") for (const listener of this.#watchers) listener();
        else this.#renewConnections();
      },
      failed: (error) => report(`rotation of the node's ${kind} certificate`, error),
    });
  }

  /** Without a valid certificate of the node's name it uses the bootstrap token, as at the first time. */
  async #asking<T>(kind: "client" | "server", ask: (client: Client) => Promise<T>): Promise<T> {
    const { ctx, options } = this.parts;
    const current = this.#client?.current;
    const { commonName } = clientCertificate(ctx.node.name);
    const isGood = current === undefined || (!isOver(current, ctx.clock.now()) && isOf(current, commonName));
    if (kind === "server" || isGood || options.bootstrapKubeconfig === undefined) return ask(this.#general as Client);
    const { client, close } = this.#bootstrapClient(options.bootstrapKubeconfig);
    return ask(client).finally(close);
  }

  #bootstrapClient(file: string): ReturnType<typeof createClient> {
    const { ctx, userAgent } = this.parts;
    return createClient({ credentials: new CredentialFiles(file, ctx.clock), clock: ctx.clock, userAgent });
  }

  /** The files are read at once, and every connection is opened again with them. */
  #renewConnections(): void {
    this.credentials.doubt();
    this.credentials.current().catch((error: unknown) => {
      this.parts.ctx.log.warn(`the node's new certificate cannot be read: ${errorText(error)}`);
    });
  }
}

// Metrics of the node's certificates, named as the kubelet's.

type Managers = Readonly<Record<"client" | "server", CertificateManager | undefined>>;

/** Infinity while there is none, as the kubelet has it. */
function certificateMetrics({ clock, metrics }: Pick<NodeContext, "clock" | "metrics">, managers: Managers): void {
  for (const kind of ["client", "server"] as const) {
    const manager = managers[kind];
    if (manager === undefined) continue;
    const name = `kubelet_certificate_manager_${kind}_ttl_seconds`;
    const whose = kind === "client" ? "client" : "serving";
    const help = `Gauge of the shortest TTL (time-to-live) of the Kubelet's ${whose} certificate. The value is in seconds until certificate expiry (negative if already expired). If ${whose} certificate is invalid or unused, the value will be +INF.`;
    metrics.collect([{ name, help, type: "gauge" }], () => {
      const { current } = manager;
      const value = current === undefined ? Number.POSITIVE_INFINITY : (current.notAfter - clock.now()) / 1_000;
      return { [name]: [{ value }] };
    });
    const failures = `${kind === "client" ? "kubelet_certificate_manager_client" : "kubelet_server"}_expiration_renew_errors`;
    metrics.collect([{ name: failures, help: "Counter of certificate renewal errors.", type: "counter" }], () => ({
      [failures]: [{ value: manager.failures }],
    }));
  }
}
