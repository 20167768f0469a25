/** What parts of a long run found, in a file: a run that was cut goes on where it was. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Findings } from "./watch.js";

/** What a run is: parts of another one are not its own. */
export interface Run {
  readonly seed: number;
  readonly total: number | undefined;
  readonly targets: readonly string[];
}

interface Line {
  readonly part: number;
  readonly target: string;
  readonly found: Findings;
}

export class Sums {
  readonly #known = new Map<string, Findings>();

  /** Without a file nothing is kept. @throws Error for the file of another run */
  constructor(
    private readonly file: string | undefined,
    run: Run,
  ) {
    if (file === undefined) return;
    const head = JSON.stringify(run);
    if (!existsSync(file)) {
      appendFileSync(file, `${head}\n`);
      return;
    }
    const [first, ...lines] = readFileSync(file, "utf8").split("\n").filter(Boolean);
    if (first !== head)
      throw new Error(`${file} holds another run: expected ${head}, found ${first}; name another file`);
    for (const line of lines) {
      const { part, target, found } = JSON.parse(line) as Line;
      this.#known.set(`${part} ${target}`, found);
    }
  }

  known(part: number, target: string): Findings | undefined {
    return this.#known.get(`${part} ${target}`);
  }

  add(part: number, target: string, found: Findings): void {
    if (this.file !== undefined)
      appendFileSync(this.file, `${JSON.stringify({ part, target, found } satisfies Line)}\n`);
  }
}
