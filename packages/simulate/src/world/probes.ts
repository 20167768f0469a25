/** What becomes of probes. */
import { type ExecResult, errorText, sleep } from "@hooklet/core";
import type { Attempt, MakeAttempt, ProbeKind } from "@hooklet/plugin-probe";
import type { VirtualClock } from "@hooklet/sim";

const FINE: Attempt = { result: "success", output: "" };

interface Question {
  /** As the runtime names it. */
  readonly containerId: string;
  readonly kind: ProbeKind;
  /** Undefined for other handlers than exec. */
  readonly command: readonly string[] | undefined;
  readonly timeoutMilliseconds: number;
}

export interface ToldProbe {
  readonly result: "success" | "failure" | "warning" | "error";
  readonly output: string;
  /** Milliseconds. */
  readonly takes: number;
  /** Of this container alone. */
  readonly containerId?: string;
}

export interface ProbePorts {
  readonly clock: VirtualClock;
  exec(containerId: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  /** Pod and container of a runtime's id. */
  whose(containerId: string): { readonly podUid: string; readonly container: string } | undefined;
  told(question: Question, answer: Attempt): void;
}

export class Probes {
  readonly #told = new Map<string, ToldProbe>();

  constructor(private readonly ports: ProbePorts) {}

  /** From now on, for all containers of this name in the pod. */
  tell(podUid: string, container: string, type: ProbeKind, probe: ToldProbe): void {
    this.#told.set(`${podUid}/${container}/${type}`, probe);
  }

  /** What becomes of an attempt, now; it takes virtual time where the scenario says so. */
  readonly attempt: MakeAttempt = (_, { kind, probe, timeoutMilliseconds }, { containerId }) =>
    this.#answer({ containerId, kind, timeoutMilliseconds, command: probe.exec?.command }).catch((error: unknown) => ({
      result: "unknown",
      output: "",
      error: errorText(error),
    }));

  /** Most of millions of probes have the default result, at once: no promise more than is needed. */
  #answer(question: Question): Promise<Attempt> {
    const told = this.#toldOf(question);
    if (told === undefined && question.command === undefined) {
      this.ports.told(question, FINE);
      return Promise.resolve(FINE);
    }
    return this.#find(question, told).then((answer) => {
      this.ports.told(question, answer);
      return answer;
    });
  }

  #toldOf({ containerId, kind }: Question): ToldProbe | undefined {
    if (this.#told.size === 0) return undefined;
    const subject = this.ports.whose(containerId);
    const told = subject && this.#told.get(`${subject.podUid}/${subject.container}/${kind}`);
    return told !== undefined && (told.containerId ?? containerId) === containerId ? told : undefined;
  }

  async #find({ containerId, command, timeoutMilliseconds }: Question, told: ToldProbe | undefined): Promise<Attempt> {
    const { clock, exec } = this.ports;
    if (told !== undefined) {
      if (told.takes > 0) await sleep(clock, Math.min(told.takes, timeoutMilliseconds));
      if (told.takes > timeoutMilliseconds) return { result: "failure", output: "context deadline exceeded" };
      const { result, output } = told;
      return result === "error" ? { result: "unknown", output: "", error: output } : { result, output };
    }
    const { exitCode, stdout, stderr } = await exec(containerId, command ?? [], timeoutMilliseconds / 1000);
    return { result: exitCode === 0 ? "success" : "failure", output: `${stdout}${stderr}` };
  }
}
