/** The faults of one pod, worded as in apimachinery (pkg/util/validation/field/errors.go). */
import { didYouMean, nearest } from "./error-text.js";
import type { FieldPath } from "./path.js";

export interface FieldFault {
  readonly path: FieldPath;
  /** The path and what is wrong with it. */
  readonly message: string;
}

/** More than a person reads; the rest is counted. */
const MAX_FAULTS = 100;
const MAX_VALUE = 200;

export class FieldFaults {
  readonly #faults: FieldFault[] = [];
  /** Faulty paths, and their parents. */
  readonly #paths = new Set<string>();
  readonly #above = new Set<string>();
  #more = 0;

  get list(): readonly FieldFault[] {
    return this.#faults;
  }

  /** How many faults were left out of the list. */
  get more(): number {
    return this.#more;
  }

  required(path: FieldPath, detail = ""): void {
    // A value that is broken has its own fault; reporting it as missing too would only confuse.
    if (!this.#isFaulty(path)) this.#add(path, "Required value", detail);
  }

  /** One of several fields must be set. One that is set but faulty will do. */
  requiredOneOf(path: FieldPath, detail: string): void {
    if (!this.#above.has(path.toString())) this.required(path, detail);
  }

  invalid(path: FieldPath, value: unknown, detail: string): void {
    this.#add(path, `Invalid value: ${printed(value)}`, detail);
  }

  unsupported(path: FieldPath, value: unknown, supported: readonly string[]): void {
    const known = supported.map((one) => JSON.stringify(one)).join(", ");
    this.#add(path, `Unsupported value: ${printed(value)}`, `supported values: ${known}`);
  }

  duplicate(path: FieldPath, value: unknown): void {
    this.#add(path, `Duplicate value: ${printed(value)}`);
  }

  notFound(path: FieldPath, value: unknown): void {
    this.#add(path, `Not found: ${printed(value)}`);
  }

  forbidden(path: FieldPath, detail: string): void {
    this.#add(path, "Forbidden", detail);
  }

  tooLong(path: FieldPath, bytes: number): void {
    this.#add(path, "Too long", `may not be more than ${bytes} bytes`);
  }

  tooMany(path: FieldPath, count: number, most: number): void {
    this.#add(path, `Too many: ${count}`, `must have at most ${most} items`);
  }

  /** A field that Kubernetes does not have. */
  unknownField(path: FieldPath, known: Iterable<string>): void {
    // The search takes long: not for faults that are only counted.
    const hint = this.#faults.length < MAX_FAULTS ? didYouMean(nearest(String(path.segment), known)) : "";
    this.#push(path, `unknown field ${JSON.stringify(cut(path.toString()))}${hint === "" ? "" : `.${hint}`}`);
  }

  /** One fault per message of `problems`. */
  each(path: FieldPath, value: unknown, problems: readonly string[]): void {
    for (const problem of problems) this.invalid(path, value, problem);
  }

  #isFaulty(path: FieldPath): boolean {
    for (let at: FieldPath | undefined = path; at !== undefined; at = at.parent) {
      if (this.#paths.has(at.toString())) return true;
    }
    return false;
  }

  #add(path: FieldPath, body: string, detail = ""): void {
    this.#push(path, `${path}: ${body}${detail === "" ? "" : `: ${detail}`}`);
  }

  #push(path: FieldPath, message: string): void {
    this.#paths.add(path.toString());
    for (let at = path.parent; at !== undefined; at = at.parent) this.#above.add(at.toString());
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ path, message });
    else this.#more++;
  }
}

function printed(value: unknown): string {
  return cut(JSON.stringify(value) ?? "null");
}

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}...` : text;
}
