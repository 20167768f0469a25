/** The reported faults of a source: each is reported once and withdrawn when fixed. */

import type { SourceFault, SourceSink } from "@hooklet/core/host";
import { faultsText, isManifestError } from "@hooklet/manifest";
import { errorText } from "@hooklet/utils";

export class FaultLedger {
  readonly #open = new Map<string, SourceFault>();

  constructor(private readonly sink: SourceSink) {}

  /** `key`: what the fault is about, for example a file. Its former fault is taken back when it stood elsewhere. */
  report(key: string, fault: SourceFault): void {
    const before = this.#open.get(key);
    if (before?.where === fault.where && before.message === fault.message) return;
    this.#open.set(key, fault);
    if (before !== undefined && before.where !== fault.where) this.#mended(before.where);
    this.sink.fault(fault);
  }

  mended(key: string): void {
    const before = this.#open.get(key);
    if (before === undefined) return;
    this.#open.delete(key);
    this.#mended(before.where);
  }

  /** All keys with an open fault. */
  keys(): readonly string[] {
    return [...this.#open.keys()];
  }

  #mended(where: string): void {
    for (const { where: other } of this.#open.values()) if (other === where) return;
    this.sink.mended(where);
  }
}

/** The fault of a manifest that cannot be used, with its line where one is known. */
export function faultOf(error: unknown, where: string): SourceFault {
  if (isManifestError(error)) return { where: error.place, message: faultsText(error.faults) };
  return { where, message: errorText(error) };
}
