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

export interface ScriptedProbe {
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
  answered(question: Question, answer: Attempt): void;
}

export class Probes {
  readonly #scripted = new Map<string, ScriptedProbe>();

  constructor(private readonly ports: ProbePorts) {}

  /** From now on, for all containers of this name in the pod. */
  tell(podUid: string, container: string, type: ProbeKind, probe: ScriptedProbe): void {
    this.#scripted.set(`${podUid}/${container}/${type}`, probe);
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
    const scripted = this.#scriptedOf(question);
    if (scripted === undefined && question.command === undefined) {
      this.ports.answered(question, FINE);
      return Promise.resolve(FINE);
    }
    return this.#find(question, scripted).then((answer) => {
      this.ports.answered(question, answer);
      return answer;
    });
  }

  #scriptedOf({ containerId, kind }: Question): ScriptedProbe | undefined {
    if (this.#scripted.size === 0) return undefined;
    const subject = this.ports.whose(containerId);
    const scripted = subject && this.#scripted.get(`${subject.podUid}/${subject.container}/${kind}`);
    return scripted !== undefined && (scripted.containerId ?? containerId) === containerId ? scripted : undefined;
  }

  async #find(
    { containerId, command, timeoutMilliseconds }: Question,
    scripted: ScriptedProbe | undefined,
  ): Promise<Attempt> {
    const { clock, exec } = this.ports;
    if (scripted !== undefined) {
      if (scripted.takes > 0) await sleep(clock, Math.min(scripted.takes, timeoutMilliseconds));
      if (scripted.takes > timeoutMilliseconds) return { result: "failure", output: "context deadline exceeded" };
      const { result, output } = scripted;
      return result === "error" ? { result: "unknown", output: "", error: output } : { result, output };
    }
    const { exitCode, stdout, stderr } = await exec(containerId, command ?? [], timeoutMilliseconds / 1000);
    return { result: exitCode === 0 ? "success" : "failure", output: `${stdout}${stderr}` };
  }
}
