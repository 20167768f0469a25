/** Who owns the files that only one shall read (the kubelet's FsUserFrom). Pure. */
import type { Pod } from "@hooklet/core";

/** The user that all containers of the pod run as by its manifest; undefined: they differ, or one does not say. */
export function commonUser({ spec }: Pod): number | undefined {
  const users = [...(spec.initContainers ?? []), ...spec.containers].map(
    ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
  );
  const [first] = users;
  return users.every((user) => user === first) ? first : undefined;
}
