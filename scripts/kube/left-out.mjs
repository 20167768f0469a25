// Tests of Kubernetes' list that make no sense on a runtime, each group with its reason; packages/source-kube/conformance.md shows them.

/** On plain processes: a pod has the machine's network and host name, and images are imported. */
const process = [
  {
    match: "Networking Granular Checks",
    why: "a pod has no network of its own: servers and clients would meet on the machine's ports",
  },
  {
    match: "when running a container with a new image",
    why: "there is no registry in reach to log in to and to pull from",
  },
  { match: "ImageVolume", why: "images are not mounted as volumes (a kubelet on containerd 1.6 fails it, too)" },
  {
    match: "a pod has hostnameOverride field with value that is a valid DNS subdomain",
    why: "the host name is the machine's; $HOSTNAME and /etc/hostname are the pod's",
  },
  { match: "fields will have hostnameOverride as hostname", why: "the same" },
  { match: "Sysctls [LinuxOnly] [NodeConformance] should support sysctls", why: "the machine's, so refused by name" },
  {
    match: "RuntimeClass should schedule a Pod requesting a RuntimeClass",
    why: "no runtime handlers: refused by name",
  },
  {
    match: "Pod InPlace Resize Container",
    why: "the tests read the limits in the container's /sys/fs/cgroup, which plain processes do not have; the limits themselves are set",
  },
  {
    match: "Lifecycle Hook when create a pod with lifecycle hook should",
    why: "two pods of the same test listen on port 8080 of their own addresses",
  },
  { match: "PrivilegedPod", why: "it makes a link in the pod's network, which is the machine's" },
];

/** Takes 27 minutes. */
const long = { match: "should cap back-off at MaxContainerBackOff", why: "takes 27 minutes" };

export const leftOut = { cri: [long], process: [...process, long] };

/** Servers of these tests listen on a port that is the machine's where pods have no network of their own: which; undefined: none. */
export function portOf(name) {
  if (/mark readiness|exec readiness probe timeout/.test(name)) return undefined;
  const [port] = PORTS.find(([, wanting]) => wanting.test(name)) ?? [];
  return port;
}

const PORTS = [
  ["5000", /GRPC/],
  ["80", /readiness probe/],
  ["9376", /environment variables for services/],
  ["8080", /http|tcp:8080|redirect|monotonically/i],
];
