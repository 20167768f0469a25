// Names, addresses and folders of one cluster. Everything it writes lies below `dir`.
import path from "node:path";

const BASE = path.resolve(process.env.HOOKLET_CLUSTER_DIR ?? "/var/lib/hooklet-cluster");

/** `name`: at most 8 letters and digits; it also picks the second byte of 10.x.0.0/24, so that several may run side by side. */
export function layout(name = "local") {
  if (!/^[a-z0-9]{1,8}$/.test(name))
    throw new Error(`cluster name ${JSON.stringify(name)}: expected 1 to 8 of a-z, 0-9`);
  const dir = path.join(BASE, name);
  let hash = 0;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) % 50;
  const prefix = `10.${140 + hash}.0`;
  return {
    name,
    dir,
    /** The machine's end of the link: the address of nodes that run outside of the namespace. */
    hostAddress: `${prefix}.1`,
    /** The address of the control plane and of its node. */
    address: `${prefix}.2`,
    prefix,
    server: `https://${prefix}.2:6443`,
    serviceRange: "10.96.0.0/16",
    serviceAddress: "10.96.0.1",
    /** The file of the network namespace. */
    namespace: path.join(dir, "network"),
    link: `hkc-${name}`,
    node: `hooklet-${name}`,
    pki: path.join(dir, "pki"),
    etcd: path.join(dir, "etcd"),
    manifests: path.join(dir, "manifests"),
    /** What nodes asked of the API server, where that is wanted. */
    audit: path.join(dir, "audit"),
    rootDir: path.join(dir, "root"),
    config: path.join(dir, "hookletrc.json"),
    log: path.join(dir, "hooklet.log"),
    pidFile: path.join(dir, "hooklet.pid"),
    kubeconfig: path.join(dir, "admin.kubeconfig"),
    cgroup: `/hooklet-cluster-${name}`,
  };
}
