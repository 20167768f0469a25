import { type Clock, errorText, type Timer } from "@hooklet/core";
import type { ContainerFiles } from "./files.js";

/** How a simulated process ended. */
export interface Exit {
  readonly code: number;
  /** `Completed` or `Error` by the code, unless the test says otherwise (for example `OOMKilled`). */
  readonly reason?: string;
  readonly message?: string;
}

/** What a process is started with. */
export interface ProcessSetup {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly user: number;
  readonly files: ContainerFiles;
  output(stream: "stdout" | "stderr", text: string): void;
  exited(exit: Exit): void;
}

/** What a program can do. It is called when its process starts, and ends it with `exit`, now or later. */
export type SimulatedProgram = (process: SimulatedProcess) => void;

/** A process in virtual time. Nothing of it happens after its end. */
export class SimulatedProcess {
  readonly #clock: Clock;
  readonly #setup: ProcessSetup;
  readonly #timers = new Set<Timer>();
  #onTerm: (() => void) | undefined;
  #onInput: ((data: Buffer | undefined) => void) | undefined;
  #exit: Exit | undefined;

  constructor(clock: Clock, setup: ProcessSetup) {
    this.#clock = clock;
    this.#setup = setup;
  }

  /** Command and arguments. */
  get argv(): readonly string[] {
    return this.#setup.argv;
  }

  get env(): Readonly<Record<string, string>> {
    return this.#setup.env;
  }

  get workingDir(): string {
    return this.#setup.workingDir;
  }

  /** Numeric user id. */
  get user(): number {
    return this.#setup.user;
  }

  get running(): boolean {
    return this.#exit === undefined;
  }

  /** Writes text as it is to standard output. */
  print(text: string): void {
    if (this.running) this.#setup.output("stdout", text);
  }

  printError(text: string): void {
    if (this.running) this.#setup.output("stderr", text);
  }

  /** Ends the process; what comes after is ignored. */
  exit(code: number, how: Omit<Exit, "code"> = {}): void {
    if (!this.running) return;
    this.#exit = { code, ...how };
    for (const timer of this.#timers) timer.cancel();
    this.#setup.exited(this.#exit);
  }

  /** Calls `run` after so many milliseconds, unless the process has ended by then. */
  after(milliseconds: number, run: () => void): void {
    const timer = this.#clock.schedule(milliseconds, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }

  /** Handles TERM; without a handler it ends the process with 143. */
  onTerm(run: () => void): void {
    this.#onTerm = run;
  }

  /** Gets what an interactive exec sends, and undefined once the input has ended. */
  onInput(run: (data: Buffer | undefined) => void): void {
    this.#onInput = run;
  }

  /** Writes a file of the container. A file that cannot be written ends the process with 1 and the reason on stderr. */
  writeFile(path: string, text: string): void {
    this.#orFail(() => this.#setup.files.write(path, text));
  }

  /** The text of a file of the container. A file that cannot be read ends the process with 1 and gives "". */
  readFile(path: string): string {
    return this.#orFail(() => this.#setup.files.read(path)) ?? "";
  }

  /** For the runtime: sends TERM. @param unhandled what a program does that has no handler */
  term(unhandled: () => void = () => this.exit(143)): void {
    if (this.running) (this.#onTerm ?? unhandled)();
  }

  /** For the runtime: sends input. */
  input(data: Buffer | undefined): void {
    if (this.running) this.#onInput?.(data);
  }

  #orFail<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.printError(`${errorText(error)}\n`);
      this.exit(1);
      return undefined;
    }
  }
}
