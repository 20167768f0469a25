/** How much an archive may make us write: a small file can unpack to any size. */
import { Transform } from "node:stream";
import { RuntimeError } from "@hooklet/core/host";

export interface ImageBounds {
  /** Bytes of all layers together, unpacked. */
  readonly maxBytes: number;
  /** Files, folders and links of all layers together. */
  readonly maxEntries: number;
}

export const DEFAULT_BOUNDS: ImageBounds = { maxBytes: 64 * 2 ** 30, maxEntries: 2_000_000 };

/** Counts over a whole import. Throws `invalid-argument` once a bound is passed. */
export class Budget {
  #bytes = 0;
  #entries = 0;

  constructor(readonly bounds: ImageBounds) {}

  takeBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.bounds.maxBytes) throw over("bytes", this.bounds.maxBytes, "maxImageBytes");
  }

  takeEntry(): void {
    if (++this.#entries > this.bounds.maxEntries) throw over("files", this.bounds.maxEntries, "maxImageEntries");
  }

  get bytes(): number {
    return this.#bytes;
  }

  get entries(): number {
    return this.#entries;
  }

  /** Passes bytes on and counts them. */
  meter(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        try {
          this.takeBytes(chunk.length);
          done(null, chunk);
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      },
    });
  }
}

function over(what: string, bound: number, option: string): RuntimeError {
  return new RuntimeError(
    "invalid-argument",
    `the image holds more than ${bound} ${what}; raise the runtime's option ${option} if that is right`,
  );
}
