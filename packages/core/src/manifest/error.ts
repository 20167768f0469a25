/** What is wrong with a manifest file as a whole. */
import { NodeAgentError } from "../errors.js";

export interface ManifestFault {
  /** First line is 1. */
  readonly line?: number;
  /** `spec.containers[0].name`, where it is about a field. */
  readonly path?: string;
  /** Names the pod where the manifest holds several. */
  readonly message: string;
}

/** Nothing of the manifest is used. `where` is its file, URL or `control socket`. */
export class ManifestError extends NodeAgentError {
  readonly where: string;
  readonly faults: readonly ManifestFault[];

  constructor(where: string, faults: readonly ManifestFault[]) {
    const first = faults[0];
    super("INVALID", `${place(where, first)}: ${faultsText(faults)}`);
    this.where = where;
    this.faults = faults;
  }

  /** `file:line` of the first fault. */
  get place(): string {
    return place(this.where, this.faults[0]);
  }
}

/** All faults in one line; each after the first tells its line. */
export function faultsText(faults: readonly ManifestFault[]): string {
  return faults
    .map(({ line, message }, i) => (i === 0 || line === undefined ? message : `${message} (line ${line})`))
    .join("; ");
}

function place(where: string, fault: ManifestFault | undefined): string {
  return fault?.line === undefined ? where : `${where}:${fault.line}`;
}
