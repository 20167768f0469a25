/** Sandboxes and containers as CRI v1 describes them: what a runtime is asked for, and what it says of them. Pure. */
/** CRI labels and annotations by which pods and containers are found again after a crash of the agent. */
export const Labels = {
  podName: "io.kubernetes.pod.name",
  podNamespace: "io.kubernetes.pod.namespace",
  podUid: "io.kubernetes.pod.uid",
  containerName: "io.kubernetes.container.name",
};
export const Annotations = {
  containerHash: "io.kubernetes.container.hash",
  restartCount: "io.kubernetes.container.restartCount",
  terminationMessagePath: "io.kubernetes.container.terminationMessagePath",
  terminationMessagePolicy: "io.kubernetes.container.terminationMessagePolicy",
  preStopHandler: "io.kubernetes.container.preStopHandler",
  ports: "io.kubernetes.container.ports",
  podTerminationGracePeriod: "io.kubernetes.pod.terminationGracePeriod",
};
