import type { ContainerConfig, SandboxConfig } from "@hooklet/core/host";
import type { SimulatedProgram } from "./process.js";
import { builtInPrograms, type ProgramTable } from "./programs.js";

/** Which containers a script is about; what is left out matches all. */
export interface Target {
  /** The pod's name or uid. */
  readonly pod?: string;
  readonly container?: string;
  /** As the manifest names it. */
  readonly image?: string;
}

/** Selects exec calls: besides the container, by the command's first words. */
export interface ExecTarget extends Target {
  readonly command?: readonly string[];
}

/** What a command in a container gives. */
export interface SimulatedExecResult {
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Milliseconds that it takes. */
  readonly delay?: number;
}

/** A container as scripts see it. */
export interface ScriptSubject {
  readonly config: ContainerConfig;
  readonly sandbox: SandboxConfig;
}

const runsUntilTerm: SimulatedProgram = () => {};
const succeeds: SimulatedProgram = (process) => process.exit(0);

/** Scripted behaviour of containers and their commands. The last matching script wins. */
export class Scripts {
  readonly #containers: { target: Target; program: SimulatedProgram }[] = [];
  readonly #execs: { target: ExecTarget; program: SimulatedProgram }[] = [];
  readonly #programs: ProgramTable;

  constructor(programs: ProgramTable) {
    this.#programs = { ...builtInPrograms, ...programs };
  }

  container(target: Target, program: SimulatedProgram): void {
    this.#containers.unshift({ target, program });
  }

  exec(target: ExecTarget, result: SimulatedExecResult | SimulatedProgram): void {
    this.#execs.unshift({ target, program: typeof result === "function" ? result : resultProgram(result) });
  }

  /** What this container runs. */
  forContainer(subject: ScriptSubject): SimulatedProgram | "missing" {
    const script = this.#containers.find(({ target }) => matches(target, subject));
    return script?.program ?? this.#byCommand(subject.config.command[0]) ?? runsUntilTerm;
  }

  /** What this command does in the container; an unknown one succeeds and says nothing. */
  forExec(subject: ScriptSubject, command: readonly string[]): SimulatedProgram | "missing" {
    const script = this.#execs.find(
      ({ target }) =>
        matches(target, subject) && (target.command ?? []).every((word, index) => word === command[index]),
    );
    return script?.program ?? this.#byCommand(command[0]) ?? succeeds;
  }

  #byCommand(word: string | undefined): SimulatedProgram | "missing" | undefined {
    return word !== undefined && Object.hasOwn(this.#programs, word) ? this.#programs[word] : undefined;
  }
}

function matches({ pod, container, image }: Target, { config, sandbox }: ScriptSubject): boolean {
  return (
    (pod === undefined || pod === sandbox.metadata.name || pod === sandbox.metadata.uid) &&
    (container === undefined || container === config.metadata.name) &&
    (image === undefined || image === config.image.userSpecifiedImage)
  );
}

function resultProgram({ exitCode = 0, stdout = "", stderr = "", delay = 0 }: SimulatedExecResult): SimulatedProgram {
  return (process) => {
    const end = (): void => {
      process.print(stdout);
      process.printError(stderr);
      process.exit(exitCode);
    };
    if (delay > 0) process.after(delay, end);
    else end();
  };
}
