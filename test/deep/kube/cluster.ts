/** The cluster that `pnpm e2e:kube` has brought up, asked with kubectl as people ask it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { until } from "../../support/agent.js";

const run = promisify(execFile);

interface There {
  readonly name: string;
  /** All of the cluster's files; what is left in it when the stories end is removed, its processes too. */
  readonly folder: string;
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly server: string;
  /** Of the API server, port 6443. */
  readonly address: string;
  /** Of nodes that run outside of the control plane's network namespace. */
  readonly hostAddress: string;
  /** Three bytes of it. */
  readonly prefix: string;
  /** The link whose end here has `hostAddress`. */
  readonly link: string;
  /** The file of the control plane's network namespace, and the folder of its static pods. */
  readonly namespace: string;
  readonly manifests: string;
  /** Where the API server writes down what nodes ask, when figures are wanted. */
  readonly audit: string;
  /** A private containerd. */
  readonly endpoint: string;
  readonly kubelet?: { readonly program: string; readonly endpoint: string };
}

const given = process.env.HOOKLET_KUBE;
if (given === undefined) throw new Error("stories of a real cluster are run by `pnpm e2e:kube`");
export const there = JSON.parse(given) as There;

export const IMAGE = "hk.local/busybox:1";

export interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export interface ListedPod extends Listed {
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly startTime?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime: string;
    }[];
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly ready: boolean;
      readonly restartCount: number;
      readonly containerID?: string;
    }[];
  };
}

/** kubectl with these words; what it printed. @throws with what it said on stderr */
export async function kubectl(...words: readonly string[]): Promise<string> {
  const { stdout } = await run(there.kubectl, ["--kubeconfig", there.kubeconfig, ...words], {
    maxBuffer: 2 ** 26,
    timeout: 240_000,
  });
  return stdout;
}

/** A kubectl that goes on by itself; its output is gathered. */
export class Going {
  output = "";
  readonly ended: Promise<number>;

  private constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (data: Buffer) => (this.output += data.toString()));
    this.ended = new Promise((resolve) => child.once("exit", (code) => resolve(code ?? -1)));
  }

  static kubectl(...words: readonly string[]): Going {
    return Going.program(there.kubectl, "--kubeconfig", there.kubeconfig, ...words);
  }

  static program(program: string, ...words: readonly string[]): Going {
    return new Going(spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] }));
  }

  /** As typed. */
  say(text: string): void {
    this.child.stdin?.write(text);
  }

  hears(what: string | RegExp, seconds = 30): Promise<void> {
    return until(
      `${JSON.stringify(String(what))} is said; so far: ${this.output}`,
      async () => (typeof what === "string" ? this.output.includes(what) : what.test(this.output)),
      seconds,
    );
  }

  async end(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}

/** A namespace of the cluster for one story file, and what is in it. */
export class Place {
  private constructor(readonly namespace: string) {}

  static async create(namespace: string): Promise<Place> {
    await kubectl("create", "namespace", namespace);
    const account = ["get", "serviceaccount", "default", "-n", namespace];
    await until("the namespace has its service account", () =>
      kubectl(...account).then(
        () => true,
        () => false,
      ),
    );
    return new Place(namespace);
  }

  kubectl(...words: readonly string[]): Promise<string> {
    return kubectl("--namespace", this.namespace, ...words);
  }

  async apply(...objects: readonly object[]): Promise<void> {
    const list = { apiVersion: "v1", kind: "List", items: objects };
    const words = ["--kubeconfig", there.kubeconfig, "--namespace", this.namespace, "apply", "-f", "-"];
    const applied = Going.program(there.kubectl, ...words);
    applied.child.stdin?.end(JSON.stringify(list));
    if ((await applied.ended) !== 0) throw new Error(applied.output);
  }

  async pods(selector = ""): Promise<readonly ListedPod[]> {
    const words = ["get", "pods", "-o", "json", ...(selector === "" ? [] : ["-l", selector])];
    return (JSON.parse(await this.kubectl(...words)) as { items: readonly ListedPod[] }).items;
  }

  async pod(name: string): Promise<ListedPod | undefined> {
    const text = await this.kubectl("get", "pod", name, "--ignore-not-found", "-o", "json");
    return text === "" ? undefined : (JSON.parse(text) as ListedPod);
  }

  /** Waits until exactly `count` pods of the selector are there, all Ready and none on its way out. */
  ready(selector: string, count: number, seconds = 120): Promise<void> {
    return until(
      `${count} pods of ${selector} are Ready`,
      async () => {
        const pods = await this.pods(selector);
        return pods.length === count && pods.every(isReady);
      },
      seconds,
    );
  }

  async remove(): Promise<void> {
    await kubectl("delete", "namespace", this.namespace, "--wait", "--timeout=180s");
  }
}

export function isReady({ metadata, status }: ListedPod): boolean {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  return metadata.deletionTimestamp === undefined && ready?.status === "True";
}

/** A figure for the reader of the output. */
export function say(text: string): void {
  process.stderr.write(`    ${text}\n`);
}

/** Ends with TERM at once. */
export const IDLE = 'trap "exit 0" TERM; while :; do sleep 1 & wait $!; done';

export function podTemplate(app: string, container: object = {}, spec: object = {}): object {
  const main = {
    name: "main",
    image: IMAGE,
    imagePullPolicy: "IfNotPresent",
    command: ["sh", "-c", IDLE],
    ...container,
  };
  return {
    metadata: { labels: { app } },
    spec: { terminationGracePeriodSeconds: 5, automountServiceAccountToken: false, containers: [main], ...spec },
  };
}

export function pod(name: string, container: object = {}, spec: object = {}): object {
  const { metadata, spec: whole } = podTemplate(name, container, spec) as { metadata: object; spec: object };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, ...metadata }, spec: whole };
}

export function deployment(name: string, replicas: number, template = podTemplate(name), spec: object = {}): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template, ...spec },
  };
}
