/** What becomes of probes. */
import { type ExecResult, type SimulatedProbe, type SimulatedProbeAnswer, sleep } from "@hooklet/core";
import type { VirtualClock } from "@hooklet/testkit/simulation";

export type ProbeType = SimulatedProbe["kind"];

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
  told(question: SimulatedProbe, answer: SimulatedProbeAnswer): void;
}

export class Probes {
  readonly #told = new Map<string, ToldProbe>();

  constructor(private readonly ports: ProbePorts) {}

  /** From now on, for all containers of this name in the pod. */
  tell(podUid: string, container: string, type: ProbeType, probe: ToldProbe): void {
    this.#told.set(`${podUid}/${container}/${type}`, probe);
  }

  async answer(question: SimulatedProbe): Promise<SimulatedProbeAnswer> {
    const answer = await this.#find(question);
    this.ports.told(question, answer);
    return answer;
  }

  async #find({ containerId, kind, command, timeoutMilliseconds }: SimulatedProbe): Promise<SimulatedProbeAnswer> {
    const { clock, exec, whose } = this.ports;
    const subject = whose(containerId);
    const told = subject && this.#told.get(`${subject.podUid}/${subject.container}/${kind}`);
    if (told !== undefined && (told.containerId ?? containerId) === containerId) {
      if (told.takes > 0) await sleep(clock, Math.min(told.takes, timeoutMilliseconds));
      if (told.takes > timeoutMilliseconds) return { result: "failure", output: "context deadline exceeded" };
      const { result, output } = told;
      return result === "error" ? { result: "unknown", output: "", error: output } : { result, output };
    }
    if (command === undefined) return { result: "success", output: "" };
    const { exitCode, stdout, stderr } = await exec(containerId, command, timeoutMilliseconds / 1000);
    return { result: exitCode === 0 ? "success" : "failure", output: `${stdout}${stderr}` };
  }
}
