// The configuration of a private containerd: everything below one folder, a bridge of its own.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

const BASE = "/tmp/hooklet-containerd";

/** All names of one instance. `name`: at most 8 letters and digits. */
export function layout(name, base = BASE) {
  if (!/^[a-z0-9]{1,8}$/.test(name))
    throw new Error(`instance name ${JSON.stringify(name)}: expected 1 to 8 of a-z, 0-9`);
  const dir = path.join(base, name);
  return {
    name,
    dir,
    images: path.join(base, "images"),
    config: path.join(dir, "config.toml"),
    root: path.join(dir, "root"),
    state: path.join(dir, "state"),
    socket: path.join(dir, "containerd.sock"),
    pidFile: path.join(dir, "containerd.pid"),
    log: path.join(dir, "containerd.log"),
    cni: path.join(dir, "cni"),
    conflist: path.join(dir, "cni/10-hooklet.conflist"),
    registries: path.join(dir, "registries"),
    bridge: `hklt-${name}`,
    network: `hooklet-${name}`,
  };
}

/** Names of all instances that there are or were. */
export function instances(base = BASE) {
  if (!existsSync(base)) return [];
  return readdirSync(base).filter((name) => name !== "images" && existsSync(path.join(base, name, "config.toml")));
}

export const PAUSE = "registry.k8s.io/pause:3.6";

/**
 * `restrict_oom_score_adj`: without it every pod fails where root lacks CAP_SYS_RESOURCE. The network namespaces lie in the
 * state folder, so that a clean-up knows which ones are ours. `registries` is empty until a test names a mirror there.
 */
export function configToml(at) {
  return `version = 2
root = "${at.root}"
state = "${at.state}"

[grpc]
  address = "${at.socket}"

[plugins."io.containerd.internal.v1.opt"]
  path = "${at.dir}/opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${at.cni}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${at.registries}"
`;
}

/** `subnet`: of its pods. */
export function cniConflist(at, subnet) {
  const bridge = {
    type: "bridge",
    bridge: at.bridge,
    // Answers to clients outside of the subnet need a default route: host ports end there otherwise.
    isDefaultGateway: true,
    hairpinMode: true,
    ipMasq: false,
    ipam: { type: "host-local", dataDir: path.join(at.dir, "ipam"), ranges: [[{ subnet }]] },
  };
  const plugins = [bridge, { type: "portmap", capabilities: { portMappings: true } }];
  return JSON.stringify({ cniVersion: "0.4.0", name: at.network, plugins }, null, 2);
}
