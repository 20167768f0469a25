/** What is kept apart in which mode: the table of the README and of `hooklet get node`. */
import type { IsolationFact } from "@hooklet/core/host";
import type { Isolation } from "./container-record.js";

export function isolationFacts(isolation: Isolation, cgroups: boolean): IsolationFact[] {
  const apart = isolation.mode !== "none";
  const asRoot = process.getuid?.() === 0;
  return [
    apart
      ? {
          what: "files",
          isolated: "partly",
          how: "a root of its own: an overlay over the machine's files (image host) or an imported image; nothing that is written there reaches either. It is a chroot, which root in the container can leave",
        }
      : { what: "files", isolated: "no", how: `the machine's own files, image host only: ${isolation.why}` },
    apart
      ? {
          what: "mounts",
          isolated: "yes",
          how: `a mount namespace of its own; volumes are bind mounts, nosuid and nodev unless privileged, read-only with all below${closedToUser(isolation)}`,
        }
      : { what: "mounts", isolated: "no", how: "pods with volumes are refused" },
    isolation.mode === "root"
      ? { what: "users", isolated: "no", how: "the machine's user ids; runAsUser is obeyed" }
      : isolation.mode === "user"
        ? {
            what: "users",
            isolated: "partly",
            how: "a user namespace: root inside is the agent's own user outside; no other users",
          }
        : {
            what: "users",
            isolated: "no",
            how: asRoot ? "runAsUser is obeyed" : "the agent's own user; no other users",
          },
    asRoot || apart
      ? {
          what: "capabilities",
          isolated: "yes",
          how: "containerd's default set, add and drop; sys_chroot stays, seccomp and AppArmor are not applied",
        }
      : { what: "capabilities", isolated: "no", how: "an ordinary user has none" },
    isolation.processesApart
      ? {
          what: "processes",
          isolated: "yes",
          how: "a PID namespace and /proc of its own, unless hostPID or shareProcessNamespace",
        }
      : {
          what: "processes",
          isolated: "no",
          how: `a session and process group of its own; other processes can be seen, and signalled by the same user${why(isolation)}`,
        },
    cgroups
      ? { what: "cgroups", isolated: "yes", how: "a cgroup of its own: cpu, memory, pids" }
      : { what: "cgroups", isolated: "no", how: "cgroups cannot be written: limits are not enforced" },
    { what: "network", isolated: "no", how: "the machine's network; the pod's address is the node's" },
    ipc(isolation),
    {
      what: "system calls",
      isolated: "no",
      how: "no seccomp filter: a pod that asks for RuntimeDefault is told by an event",
    },
    { what: "hostname", isolated: "no", how: "the machine's; $HOSTNAME and /etc/hostname say the pod's" },
  ];
}

/** What the agent's user cannot come to, its containers cannot either. */
function closedToUser({ mode }: Isolation): string {
  return mode === "user" ? " but what lies behind another user's closed folder" : "";
}

function ipc({ mode, processesApart }: Isolation): IsolationFact {
  const what = "ipc";
  if (mode === "none") return { what, isolated: "no", how: "the machine's" };
  if (!processesApart) {
    return { what, isolated: "partly", how: "/dev/shm of the pod's own; System V IPC and terminals are the machine's" };
  }
  const whose = mode === "root" ? "shared by the pod's containers" : "each container's own";
  return { what, isolated: "yes", how: `an IPC namespace, ${whose}; /dev/shm of the pod's own; /dev/pts of its own` };
}

function why({ why: reason }: Isolation): string {
  return reason === undefined ? "" : `: ${reason}`;
}
