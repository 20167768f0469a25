/** The number of exclusive processors of containers and pods (pkg/kubelet/cm/cpumanager policy_static.go). Pure. */
import { type Container, isSidecar, type Pod } from "@hooklet/core";
import { milliValue, parseQuantity, podLevelResources, qosClass } from "@hooklet/core/rules";

/** Of a Guaranteed pod's container whose cpu request is a whole number; 0: it runs in the shared pool. */
export function exclusiveCpus(pod: Pod, container: Container): number {
  // As in the kubelet: a pod with pod-level resources has no containers with exclusive processors.
  if (podLevelResources(pod) !== undefined || qosClass(pod) !== "Guaranteed") return 0;
  const request = container.resources?.requests?.cpu;
  const milli = request === undefined ? 0 : milliValue(parseQuantity(String(request)));
  return milli % 1000 === 0 ? milli / 1000 : 0;
}

/** At its greediest moment: what runs together counts together, init containers give back what they had. */
export function podExclusiveCpus(pod: Pod): number {
  let sidecars = 0;
  let init = 0;
  for (const container of pod.spec.initContainers ?? []) {
    const cpus = exclusiveCpus(pod, container);
    if (isSidecar(container)) sidecars += cpus;
    else init = Math.max(init, sidecars + cpus);
  }
  const main = pod.spec.containers.reduce((sum, container) => sum + exclusiveCpus(pod, container), 0);
  return Math.max(init, sidecars + main);
}
