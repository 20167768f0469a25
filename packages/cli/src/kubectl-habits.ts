/** kubectl's commands and options that hooklet does not have: one line each with hooklet's way. Pure. */

const COMMANDS: Readonly<Record<string, string>> = {
  edit: "Change the manifest's file, then: hooklet apply -f FILE. A file of the manifest directory counts as soon as it is saved.",
  diff: "hooklet check FILE tells whether a manifest is right; hooklet apply -f FILE says what it created, configured or left unchanged.",
  cordon: "Without a cluster nothing is scheduled here: apply no more pods. In a cluster: kubectl cordon NODE.",
  uncordon: "Without a cluster nothing is scheduled here. In a cluster: kubectl uncordon NODE.",
  drain:
    "Ctrl-C on hooklet run stops all pods in order. hooklet delete $(hooklet get pods -o name) deletes those that were applied; a pod of a manifest file ends when you remove the file.",
  taint: "Taints of the node are node.taints in the rc file.",
  debug:
    "For a shell in a container: hooklet exec -it POD -- sh. For the reasons behind a pod's state: hooklet explain pod POD.",
  label:
    "Change metadata.labels in the manifest, then: hooklet apply -f FILE. Labels of the node are node.labels in the rc file.",
  annotate: "Change metadata.annotations in the manifest, then: hooklet apply -f FILE.",
  patch: "Change the manifest's file, then: hooklet apply -f FILE.",
  replace: "hooklet apply -f FILE.",
  set: "Change the manifest's file, then: hooklet apply -f FILE.",
  scale: "hooklet runs pods, no Deployments: apply one manifest for each pod.",
  autoscale: "hooklet runs pods, no Deployments.",
  expose: "hooklet has no Services: a pod is reached on its hostPort, or with hooklet port-forward POD PORT.",
  rollout: "To restart a pod's containers: hooklet restart pod POD.",
  "api-resources":
    "hooklet get takes pods, node, plugins, images, events and the tables of plugins: hooklet get plugins lists these (VIEWS).",
  "api-versions": "hooklet takes v1 Pods, ConfigMaps, Secrets and Lists of them.",
  "cluster-info": "hooklet get node, hooklet describe node.",
  config:
    "hooklet asks the agent whose socket --socket, --root-dir or HOOKLET_SOCKET names. Its configuration: hooklet check.",
  auth: "The control socket belongs to the agent's user: docs/explanation/hardening.md.",
  proxy: "hooklet port-forward POD PORT; health and metrics are on the port of hooklet run.",
  ps: "hooklet get pods.",
  status: "hooklet get pods; hooklet get node.",
  start: "hooklet run starts the agent; hooklet apply -f FILE starts a pod.",
  stop: "Ctrl-C ends hooklet run and stops its pods; hooklet delete pod POD stops one.",
};

/** By command and option. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  get: {
    "--sort-by":
      "For another order than by name: hooklet get pods -o custom-columns=STARTED:.status.startTime,NAME:.metadata.name --no-headers | sort.",
    "-L": "hooklet get pods --show-labels, or -o custom-columns=NAME:.metadata.name,APP:.metadata.labels.app.",
    "--label-columns":
      "hooklet get pods --show-labels, or -o custom-columns=NAME:.metadata.name,APP:.metadata.labels.app.",
    "-f": "Name the pods: hooklet get pods NAME...",
    "--filename": "Name the pods: hooklet get pods NAME...",
    "-R": "Name the pods: hooklet get pods NAME...",
    "--for": "hooklet events --for KIND/NAME.",
  },
  delete: {
    "--all":
      "hooklet delete $(hooklet get pods -o name) deletes the pods that were applied; a pod of a manifest file is an error there, and ends when you remove the file.",
    "-l": "hooklet delete $(hooklet get pods -l LABELS -o name).",
    "--selector": "hooklet delete $(hooklet get pods -l LABELS -o name).",
    "-A": "Name the namespace: hooklet delete pod NAME -n NAMESPACE.",
    "--force": "hooklet delete pod NAME --grace-period 0.",
    "--now": "hooklet delete pod NAME --grace-period 1.",
    "--cascade": "Drop it: pods here own nothing.",
    "--ignore-not-found": "Drop it, and end the line with || true.",
  },
  apply: {
    "--dry-run":
      "hooklet check FILE checks a manifest; hooklet plan preemption -f FILE tells whether the pod would be admitted, and what it would evict.",
    "-R": "A directory is read without its subdirectories: give -f for each.",
    "--recursive": "A directory is read without its subdirectories: give -f for each.",
    "--prune": "Delete what is not wanted any more: hooklet delete -f FILE.",
    "-k": "kubectl kustomize DIR | hooklet apply -f -",
    "--server-side": "Drop it.",
    "--force": "hooklet delete -f FILE, then hooklet apply -f FILE.",
    "-n": "The namespace stands in the manifest: metadata.namespace.",
    "--namespace": "The namespace stands in the manifest: metadata.namespace.",
    "-o": "What was applied: hooklet get pods -o yaml.",
    "--output": "What was applied: hooklet get pods -o yaml.",
  },
  restart: {
    "-l": "hooklet restart $(hooklet get pods -l LABELS -o name).",
    "--selector": "hooklet restart $(hooklet get pods -l LABELS -o name).",
    "-f": "Name the pods: hooklet restart pod NAME...",
    "--filename": "Name the pods: hooklet restart pod NAME...",
  },
  create: { "-f": "hooklet apply -f FILE.", "--filename": "hooklet apply -f FILE." },
  run: {
    "--image": "hooklet run starts the agent. A pod is a manifest: hooklet apply -f FILE.",
    "--restart": "hooklet run starts the agent. A pod is a manifest: hooklet apply -f FILE.",
    "--rm": "hooklet run starts the agent. A pod is a manifest: hooklet apply -f FILE.",
  },
  version: { "--client": "hooklet version prints the client's version; -o json adds the running agent's." },
  describe: { "-f": "Name the pods: hooklet describe pod NAME...", "--show-events": "Drop it: events are shown." },
  explain: { "--recursive": "Fields are explained by kubectl explain." },
};

/** What to say below an error of the command line; undefined: nothing is known. */
export function hookletsWay(error: string, commandLine: readonly string[]): string | undefined {
  const words = withoutGlobals(commandLine);
  const command = /unknown command '([^']+)'/.exec(error)?.[1];
  if (command !== undefined) return COMMANDS[command];
  if (error.includes("required option")) return withRequired(words);
  const option = /unknown option '(--?[^'=]+)/.exec(error)?.[1];
  if (option === undefined) return undefined;
  const [name = ""] = words.filter((word) => !word.startsWith("-"));
  if (name === "exec") return execHint(words, option);
  const known = OPTIONS[name] ?? {};
  // `-lapp=web`: a short option with its value.
  return known[option] ?? (option.startsWith("--") ? undefined : known[option.slice(0, 2)]);
}

/** Where an option is missing: the same line with it, or with what it stands for. */
function withRequired([name = "", ...rest]: readonly string[]): string | undefined {
  if (name === "wait") return `For example: hooklet wait --for condition=Ready ${rest.join(" ") || "pod/POD"}`;
  const known = rest.find((word) => OPTIONS[name]?.[word] !== undefined);
  if (known !== undefined) return OPTIONS[name]?.[known];
  const files = rest.filter((word) => !word.startsWith("-"));
  return name !== "apply" || files.length === 0
    ? undefined
    : `Put -f before the file: hooklet apply ${files.map((file) => `-f ${file}`).join(" ")}`;
}

const GLOBALS = ["--socket", "--root-dir"];

function withoutGlobals(words: readonly string[]): readonly string[] {
  return words.filter((word, at) => !GLOBALS.includes(word) && !GLOBALS.includes(words[at - 1] ?? ""));
}

/** `exec web ls -la`: where the command begins is for `--` to say. */
function execHint(words: readonly string[], option: string): string | undefined {
  const [, pod, ...command] = words.filter((word) => !word.startsWith("-"));
  if (pod === undefined || words.indexOf(option) < words.indexOf(command[0] ?? "")) return undefined;
  return withDashes(words, command);
}

/** `exec web sh -c ls`: hooklet has an option -c, too. Undefined: what follows the command's first word are no options. */
export function withDashes(words: readonly string[], [first]: readonly string[]): string | undefined {
  const at = first === undefined ? -1 : words.indexOf(first);
  if (at === -1 || words.includes("--") || !words.slice(at).some((word) => word.startsWith("-"))) return undefined;
  const line = [...words.slice(0, at), "--", ...words.slice(at)].map((word) => (/\s/.test(word) ? `"${word}"` : word));
  return `Put -- before the command: hooklet ${line.join(" ")}`;
}
