/** Metrics of the node's certificates, named as the kubelet's. */
import type { NodeContext } from "@hooklet/core";
import type { CertificateManager } from "./manager.js";

type Managers = Readonly<Record<"client" | "server", CertificateManager | undefined>>;

/** Infinity while there is none, as the kubelet has it. */
export function certificateMetrics(
  { clock, metrics }: Pick<NodeContext, "clock" | "metrics">,
  managers: Managers,
): void {
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
