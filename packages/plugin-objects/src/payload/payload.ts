/** What a volume holds: files by their path below it. Pure. */

import type { Pod } from "@hooklet/core";

export interface FilePayload {
  readonly data: Buffer;
  /** Permission bits. */
  readonly mode: number;
  /** User id; undefined: the agent's own. */
  readonly owner?: number;
}

export type Payload = ReadonlyMap<string, FilePayload>;

/** Of a volume without one (the API server's defaulting). */
export const DEFAULT_MODE = 0o644;

/** Content that a volume cannot have, with the kubelet's message. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";
}

/** One error, or all of them in one as apimachinery joins them. */
export function aggregate(errors: readonly Error[]): Error | undefined {
  const texts = [...new Set(errors.map(({ message }) => message))];
  if (texts.length < 2) return errors[0];
  return new PayloadError(`[${texts.join(", ")}]`);
}

// Who owns the files that only one shall read (the kubelet's FsUserFrom).

/** The user that all containers of the pod run as by its manifest; undefined: they differ, or one does not say. */
export function commonUser({ spec }: Pod): number | undefined {
  const users = [...(spec.initContainers ?? []), ...spec.containers].map(
    ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
  );
  const [first] = users;
  return users.every((user) => user === first) ? first : undefined;
}
