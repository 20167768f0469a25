/** The rc file that `hooklet init` writes. Pure. */

export interface Machine {
  readonly name: string;
  readonly isRoot: boolean;
  /** Of a container runtime that is here; undefined: none is. */
  readonly criSocket: string | undefined;
  /** Relative to the rc file, or absolute. */
  readonly manifests: string;
}

export function rcText({ name, isRoot, criSocket, manifests }: Machine): string {
  const cri =
    criSocket === undefined
      ? "# No containerd or CRI-O was found on this machine. With one:\n# runtime: { use: cri, options: { endpoint: unix:///run/containerd/containerd.sock } }\nruntime: process"
      : isRoot
        ? `# Real containers. \`runtime: process\` runs pods as local processes instead.\nruntime: { use: cri, options: { endpoint: "unix://${criSocket}" } }`
        : `# Local processes. As root this machine's ${criSocket} could be used:\n# runtime: { use: cri, options: { endpoint: "unix://${criSocket}" } }\nruntime: process`;
  return `# hooklet's rc file. All options: docs/reference/rc-file.md. "hooklet check" shows every setting with its origin.

node:
  name: ${JSON.stringify(name)}
  # maxPods: 110
  # Kept for the system, taken off what pods may have:
  # systemReserved: { cpu: 100m, memory: 256Mi }

${cri}

sources:
  # Every file in here is a pod: it runs as long as the file is there.
  manifests: ${manifests}

# Health and metrics on 127.0.0.1; 0 = none.
port: 10248

# hooklet's own plugins run with the kubelet's defaults. An entry configures one, adds one, or switches one off:
# plugins:
#   - [imagegc, { imageGCHighThresholdPercent: 85, imageGCLowThresholdPercent: 80 }]
#   - ./my-plugin/index.js            # "hooklet create plugin my-plugin" writes it
#   - [probe, false]
`;
}
