/** Many pods become unready and ready again: how long from the answer of the probe that says so until a watch of the API shows it. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../../../support/agent.js";
import { IDLE, pod, there } from "../cluster.js";
import type { PodWatch } from "./pod-watch.js";

export interface ReadinessOptions {
  readonly watch: PodWatch;
  readonly names: readonly string[];
  /** Seconds in which all of them change. */
  readonly within: number;
}

/** What all their probes ask: one server, so that the moment at which an agent can first know of a change is known. */
export class Answers {
  /** By pod. */
  readonly #wanted = new Map<string, boolean>();
  readonly #given = new Map<string, boolean>();
  /** When the last answer was given that was not as the one before it; milliseconds since 1970, by pod. */
  readonly turned = new Map<string, number>();

  private constructor(private readonly server: Server) {
    server.on("request", ({ url = "" }, answer) => {
      const name = url.slice(1);
      const isWell = this.#wanted.get(name) ?? true;
      answer.writeHead(isWell ? 200 : 503).end(() => {
        if (this.#given.get(name) === isWell) return;
        this.#given.set(name, isWell);
        this.turned.set(name, Date.now());
      });
    });
  }

  static async start(): Promise<Answers> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, there.hostAddress, resolve));
    return new Answers(server);
  }

  /** The pods, each probed once a second; one answer is enough. */
  pods(names: readonly string[]): readonly object[] {
    const { port } = this.server.address() as AddressInfo;
    return names.map((name) => {
      const httpGet = { host: there.hostAddress, port, path: `/${name}` };
      const readinessProbe = { httpGet, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 1 };
      return pod(name, { command: ["sh", "-c", IDLE], readinessProbe });
    });
  }

  say(name: string, isWell: boolean): void {
    this.#wanted.set(name, isWell);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** Of each pod, there and back: milliseconds from the answer until the watch shows the change. */
export async function readinessOf(
  answers: Answers,
  { watch, names, within }: ReadinessOptions,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const isWell of [false, true]) {
    for (const name of names) {
      answers.say(name, isWell);
      await pause(within / names.length);
    }
    await until(
      `all are ${isWell ? "" : "un"}ready`,
      async () => names.every((name) => watch.seen.get(name)?.isReady === isWell),
      60,
    );
    for (const name of names)
      times.push((watch.seen.get(name)?.turned ?? Number.NaN) - (answers.turned.get(name) ?? Number.NaN));
    await pause(3);
  }
  return times;
}
