/** Manifests of the tests on real containers. */
export interface TestContainer {
  readonly name?: string;
  readonly image?: string;
  readonly script?: string;
  readonly [field: string]: unknown;
}

/** Runs until TERM. */
export const FOREVER = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done';

export function container({
  name = "main",
  image = "busybox:1.36",
  script = FOREVER,
  ...rest
}: TestContainer = {}): object {
  return { name, image, imagePullPolicy: "IfNotPresent", command: ["sh", "-c", script], ...rest };
}

export function pod(name: string, containers: readonly TestContainer[] = [{}], spec: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 2, containers: containers.map(container), ...spec },
  };
}
