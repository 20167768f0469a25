/** A port or socket that another program has: the agent ends with an error that says so, and nothing of any pod has begun. */
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { freePort, until, Workplace } from "../support/agent.js";
import { processesWith } from "../support/processes.js";

let place: Workplace;
let holder: Server | undefined;

beforeEach(async () => {
  place = await Workplace.create();
  await place.manifest("eager.yaml", eager());
});

afterEach(async () => {
  await released();
  await place.remove();
}, 120_000);

/** Leaves a file behind as soon as it runs. */
const eager = (): string => `
apiVersion: v1
kind: Pod
metadata: { name: eager }
spec:
  terminationGracePeriodSeconds: 1
  volumes: [{ name: trace, hostPath: { path: ${place.folder}/trace, type: DirectoryOrCreate } }]
  containers:
    - name: main
      image: host
      command: [sh, -c, "touch /trace/ran; sleep 1000 # ${place.folder}"]
      volumeMounts: [{ name: trace, mountPath: /trace }]
`;

/** Takes it and says nothing to who asks who is there: the agent gives up on that only after a second, which is time to start pods. */
async function hold(
  where: { readonly port: number; readonly host: string } | { readonly path: string },
): Promise<void> {
  const server = createServer((connection) => {
    connection.on("error", () => undefined).resume();
    if ("path" in where) connection.destroy();
  });
  holder = server;
  await new Promise<void>((resolve) => server.listen(where, resolve));
}

async function released(): Promise<void> {
  const held = holder;
  holder = undefined;
  if (held !== undefined) await new Promise((resolve) => held.close(resolve));
}

async function rc(config: unknown): Promise<void> {
  await writeFile(path.join(place.folder, ".hookletrc.yaml"), JSON.stringify(config));
}

const on127 = (port: number) => ({ port, host: "127.0.0.1" });

interface Taken {
  readonly listener: string;
  /** Holds it, and gives the arguments with which the agent wants it, and what its error is to say. */
  take(): Promise<{ readonly args: readonly string[]; readonly says: string }>;
}

const LISTENERS: readonly Taken[] = [
  {
    listener: "port",
    async take() {
      const port = await freePort();
      await hold(on127(port));
      return { args: ["--port", String(port)], says: `127.0.0.1:${port}. Choose another --port` };
    },
  },
  {
    listener: "healthzPort",
    async take() {
      const port = await freePort();
      await hold(on127(port));
      await rc({ healthzPort: port });
      return { args: [], says: `127.0.0.1:${port}. Choose another healthzPort` };
    },
  },
  {
    listener: "readOnlyPort",
    async take() {
      const port = await freePort();
      await hold(on127(port));
      await rc({ readOnlyPort: port });
      return { args: [], says: `127.0.0.1:${port}. Choose another readOnlyPort` };
    },
  },
  {
    listener: "server",
    async take() {
      const port = await freePort();
      await hold(on127(port));
      await rc({
        server: {
          address: "127.0.0.1",
          port,
          authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
          authorization: { mode: "AlwaysAllow" },
        },
      });
      return { args: [], says: `127.0.0.1:${port}` };
    },
  },
  {
    listener: "socket",
    async take() {
      await mkdir(place.rootDir, { mode: 0o755 });
      const socket = path.join(place.rootDir, "hooklet.sock");
      await hold({ path: socket });
      return { args: [], says: `Another agent answers on ${socket}` };
    },
  },
  {
    listener: "readOnlySocket",
    async take() {
      const socket = path.join(place.folder, "read.sock");
      await hold({ path: socket });
      await rc({ readOnlySocket: { path: socket, group: process.getgid?.() } });
      return { args: [], says: `Another agent answers on ${socket}` };
    },
  },
];

/** What an agent makes before it asks for its listeners, and the listeners themselves: a certificate, a socket. */
const BEFORE_PODS = ["lock", "reserve", "pki", "hooklet.sock"];

/** What there is of pods: what ran, processes of sandboxes and containers, folders of pods, their logs, records of any runtime. */
async function ofPods(): Promise<object> {
  return {
    ran: existsSync(path.join(place.folder, "trace")),
    processes: [...processesWith(place.folder).values()],
    folders: (await readdir(place.rootDir)).filter((name) => !BEFORE_PODS.includes(name)),
  };
}

test.each(LISTENERS)(
  "$listener taken: the agent ends with 1 and says which, and no pod has begun; once free, all starts",
  async ({ take }) => {
    const { args, says } = await take();
    const refused = await place.start(...args).then(
      () => "started",
      (error: Error) => error.message,
    );
    expect({ refused, ...(await ofPods()) }).toEqual({
      refused: expect.stringMatching(/^the agent ended with 1:/),
      ran: false,
      processes: [],
      folders: [],
    });
    expect(refused).toContain(says);

    await released();
    await place.start(...args);
    await until("the pod runs", async () => existsSync(path.join(place.folder, "trace", "ran")));
  },
);
