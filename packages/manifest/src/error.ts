/** What is wrong with a manifest file as a whole. */

export interface ManifestFault {
  /** First line is 1. */
  readonly line?: number;
  /** `spec.containers[0].name`, where it is about a field. */
  readonly path?: string;
  /** Names the pod where the manifest holds several. */
  readonly message: string;
}

const INVALID_MANIFEST = "INVALID_MANIFEST";

/** Nothing of the manifest is used. `where` is its file, URL or `control socket`. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
  readonly code = INVALID_MANIFEST;
  readonly where: string;
  readonly faults: readonly ManifestFault[];

  constructor(where: string, faults: readonly ManifestFault[]) {
    const first = faults[0];
    super(`${place(where, first)}: ${faultsText(faults)}`);
    this.where = where;
    this.faults = faults;
  }

  /** `file:line` of the first fault. */
  get place(): string {
    return place(this.where, this.faults[0]);
  }
}

/** By its code: two copies of this package may be loaded in one process. */
export function isManifestError(error: unknown): error is ManifestError {
  return error instanceof Error && "code" in error && error.code === INVALID_MANIFEST;
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
