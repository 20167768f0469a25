/** Which files below a root dir are the agent's state, and which of them is damaged how in which round. Pure. */

/** One damage of one file. `role`: what the file is, the same for the files of all pods and containers. */
export interface Job<Name extends string> {
  readonly role: string;
  readonly damage: Name;
  /** Below the root dir. */
  readonly file: string;
}

/** What the containers themselves made, what was moved aside, and the lock, which has its own test. */
const NOT_STATE =
  /^(logs|lock$|pods\/[^/]+\/volumes|runtime-process\/(trash|empty)|runtime-process\/containers\/[^/]+\/(root|upper|work)|.*corrupt-)/;
/** What a container does not outlive the loss of: it would be unknown what it is. */
const COSTS_CONTAINERS = /^(api-pods\/.*|runtime-process\/(containers\/ID\/(state|pids)|sandboxes\/ID\/state))$/;
/** What is read whenever an agent starts. */
const LOOKED_AT = /^(state\/.*|api-.*|runtime-process\/(containers|sandboxes)\/ID\/state|cpu_manager_state)$/;

export const isState = (file: string): boolean => !NOT_STATE.test(file);

/** Whether the container that it is about may be gone with it. */
export const costsContainer = (file: string): boolean => COSTS_CONTAINERS.test(roleOf(file));

export const roleOf = (file: string): string =>
  file
    .replaceAll(/[0-9a-f]{64}/g, "ID")
    .replaceAll(/[0-9a-f-]{32,36}/g, "UID")
    .replace(/[0-9a-f]{8}$/, "ID");

export const titleOf = ({ role, damage }: Pick<Job<string>, "role" | "damage">): string => `${role}: ${damage}`;

/**
 * What is damaged in a round: of each role one file, in a way in which none of this role was before. Neighbours are damaged in different
 * ways, so that no round is all of one kind. Empty once nothing is left. @param done titles of what was done in other rounds
 */
export function chooseJobs<Name extends string>(
  files: readonly string[],
  damages: readonly Name[],
  round: number,
  done: ReadonlySet<string>,
): readonly Job<Name>[] {
  return [...byRole(files)].flatMap(([role, some], at) => {
    const damage = rotated(damages, at + 5 * round).find((one) => !done.has(titleOf({ role, damage: one })));
    const file = some[(at + 3 * round) % some.length];
    return damage === undefined || file === undefined ? [] : [{ role, damage, file }];
  });
}

function byRole(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const roles = new Map<string, string[]>();
  for (const file of files) roles.set(roleOf(file), [...(roles.get(roleOf(file)) ?? []), file]);
  return roles;
}

/** What the log must name after the next start, below the root dir; undefined for what need not be logged. */
export function mustBeNamed({ role, damage, file }: Job<string>): string | undefined {
  if (!LOOKED_AT.test(role) || isUntold(damage)) return undefined;
  // Whole, but of another content: a plugin says so in words of its own, or goes on with what it understands.
  if (role.startsWith("state/plugins") && damage.endsWith("right checksum")) return undefined;
  // What a kubelet's policy without CPUs of its own has left.
  if (role === "cpu_manager_state" && damage === "an empty object") return undefined;
  // A container or a sandbox is moved aside as a whole.
  return file.replace(/(\/(?:containers|sandboxes)\/[0-9a-f]{64})\/state$/, "$1");
}

/** Nothing is there to be damaged, or root reads unreadable files. */
const isUntold = (damage: string): boolean => damage === "gone" || damage === "mode 000";

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}
