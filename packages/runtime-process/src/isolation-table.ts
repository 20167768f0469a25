/** The isolation of each mode: the rows of `hooklet get node`, and the table of the README, which is generated from them. Pure. */
import type { IsolationFact } from "@hooklet/core/host";
import type { Isolation } from "./container-record.js";

export interface IsolationGround {
  readonly isolation: Pick<Isolation, "mode" | "processesApart" | "why">;
  /** Whether cgroups can be written. */
  readonly cgroups: boolean;
  /** Whether the agent itself is root. */
  readonly asRoot: boolean;
}

export function isolationFacts({ isolation, cgroups, asRoot }: IsolationGround): IsolationFact[] {
  const { mode } = isolation;
  const apart = mode !== "none";
  return [
    apart
      ? {
          what: "files",
          isolated: "partly",
          how: "a root of its own: an overlay over the machine's files (image host) or an imported image; nothing that is written there reaches either. It is a chroot, which root in the container can leave",
        }
      : { what: "files", isolated: "no", how: `the machine's own files, image host only${why(isolation)}` },
    apart
      ? {
          what: "mounts",
          isolated: "yes",
          how: `a mount namespace of its own; volumes are bind mounts, nosuid and nodev unless privileged, read-only with all below${closedToUser(isolation)}`,
        }
      : {
          what: "mounts",
          isolated: "no",
          how: "pods with volumes are refused; the termination log and the pod's hosts file are left out",
        },
    apart
      ? {
          what: "devices",
          isolated: "yes",
          how: "a /dev of its own with null, zero, full, random, urandom and tty; others as the pod asks for them",
        }
      : { what: "devices", isolated: "no", how: "the machine's /dev" },
    users(mode, asRoot),
    capabilities(mode, asRoot),
    isolation.processesApart
      ? {
          what: "processes",
          isolated: "yes",
          how: "a PID namespace and /proc of its own, unless hostPID or shareProcessNamespace",
        }
      : {
          what: "processes",
          isolated: "no",
          how: `a session and process group of its own; other processes can be seen, and signalled by the same user${apart ? why(isolation) : ""}`,
        },
    {
      what: "descriptors",
      isolated: "yes",
      how: "none of the agent's: standard input, output and error alone are open",
    },
    cgroups
      ? { what: "cgroups", isolated: "yes", how: "a cgroup of its own: cpu, memory, pids" }
      : { what: "cgroups", isolated: "no", how: "cgroups cannot be written: limits are not enforced" },
    { what: "network", isolated: "no", how: "the machine's network; the pod's address is the node's" },
    ipc(isolation),
    {
      what: "system calls",
      isolated: "no",
      how: "no seccomp filter, no AppArmor profile: a pod that asks for RuntimeDefault gets the event Unenforced",
    },
    {
      what: "hostname",
      isolated: "no",
      how: apart
        ? "the machine's; $HOSTNAME and /etc/hostname say the pod's"
        : "the machine's; $HOSTNAME alone says the pod's",
    },
  ];
}

function users(mode: Isolation["mode"], asRoot: boolean): IsolationFact {
  const what = "users";
  if (mode === "user") {
    return {
      what,
      isolated: "partly",
      how: "a user namespace: root inside is the agent's own user outside; no other users",
    };
  }
  const how = asRoot ? "the machine's user ids; runAsUser is obeyed" : "the agent's own user; no other users";
  return { what, isolated: "no", how };
}

/** What the last step of the set-up needs stays: chroot(2), and another user. */
function capabilities(mode: Isolation["mode"], asRoot: boolean): IsolationFact {
  const what = "capabilities";
  if (mode === "none" && !asRoot) return { what, isolated: "no", how: "an ordinary user has none" };
  const within = mode === "user" ? " within the user namespace" : "";
  const stays = [
    ...(mode === "none" ? [] : ["sys_chroot stays"]),
    ...(asRoot ? ["setuid stays for other users than root"] : []),
  ];
  return { what, isolated: "yes", how: `containerd's default set${within}, add and drop; ${stays.join(", ")}` };
}

/** Files closed to the agent's user are closed to its containers too. */
function closedToUser({ mode }: IsolationGround["isolation"]): string {
  return mode === "user" ? " but what lies behind another user's closed directory" : "";
}

function ipc({ mode, processesApart }: IsolationGround["isolation"]): IsolationFact {
  const what = "ipc";
  if (mode === "none") return { what, isolated: "no", how: "the machine's" };
  if (!processesApart) {
    return { what, isolated: "partly", how: `${shmOf(mode)}; System V IPC and terminals are the machine's` };
  }
  const whose = mode === "root" ? "shared by the pod's containers" : "each container's own";
  return {
    what,
    isolated: "yes",
    how: `an IPC namespace, ${whose}, unless hostIPC; ${shmOf(mode)}; /dev/pts of its own`,
  };
}

/** Both are memory of the containers that write it. */
function shmOf(mode: Isolation["mode"]): string {
  return `/dev/shm of ${mode === "root" ? "the pod's own" : "each container's own"}, 64 MiB in memory`;
}

function why({ why: reason }: IsolationGround["isolation"]): string {
  return reason === undefined ? "" : `: ${reason}`;
}

/** What the README tells: the usual ways, each with a title. */
const COLUMNS: readonly (readonly [title: string, ground: IsolationGround])[] = [
  ["as root", { isolation: { mode: "root", processesApart: true }, cgroups: true, asRoot: true }],
  [
    "as an ordinary user, in a user namespace",
    { isolation: { mode: "user", processesApart: true }, cgroups: false, asRoot: false },
  ],
  ["as root, no namespaces", { isolation: { mode: "none", processesApart: false }, cgroups: true, asRoot: true }],
  [
    "as an ordinary user, no namespaces",
    { isolation: { mode: "none", processesApart: false }, cgroups: false, asRoot: false },
  ],
];

/** Markdown. A cell that says what the one on its left says is "the same". */
export function isolationTable(): string {
  const columns = COLUMNS.map(([, ground]) => isolationFacts(ground).map(({ isolated, how }) => `${isolated}: ${how}`));
  const rows = isolationFacts(COLUMNS[0]?.[1] as IsolationGround).map(({ what }, row) => [
    what,
    ...columns.map((cells, at) => (cells[row] === columns[at - 1]?.[row] ? "the same" : (cells[row] ?? ""))),
  ]);
  const titles = ["", ...COLUMNS.map(([title]) => title)];
  return [titles, titles.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
