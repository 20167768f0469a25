/**
 * What a runtime answers to ExecSync, read as it comes: gRPC's frame and the fields of runtime.v1.ExecSyncResponse. The beginning of each
 * output is kept, the rest is let go. Pure.
 */

/** Bytes of flag and length before a message. */
const PREFIX = 5;
/** Bytes of the longest number of protobuf. */
const LONGEST_NUMBER = 10;
/** The field's number in runtime.v1.ExecSyncResponse. */
const [STDOUT, STDERR, EXIT_CODE] = [1, 2, 3];
/** Wire types of protobuf. */
const Wire = { number: 0, eight: 1, bytes: 2, four: 5 } as const;

/** What is no answer, with the name of gRPC's code for it. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";

  constructor(
    readonly code: "INTERNAL" | "RESOURCE_EXHAUSTED",
    text: string,
  ) {
    super(text);
  }
}

export interface ExecSyncLimits {
  /** Bytes of each output that are kept. */
  readonly keep: number;
  /** Bytes of the largest message that is taken. */
  readonly most: number;
}

export class ExecSyncAnswer {
  readonly #prefix: number[] = [];
  #message = Number.POSITIVE_INFINITY;
  #expects: "key" | "length" | "value" = "key";
  #number = 0;
  #digits = 0;
  #key = 0;
  /** Bytes of a field that are still to come, and where they go. */
  #left = 0;
  #into: Beginning | undefined;
  #exitCode = 0;
  readonly #stdout: Beginning;
  readonly #stderr: Beginning;

  constructor(private readonly limits: ExecSyncLimits) {
    this.#stdout = new Beginning(limits.keep);
    this.#stderr = new Beginning(limits.keep);
  }

  /** @throws NoAnswer */
  take(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#prefix.length < PREFIX) {
        this.#prefix.push(chunk[at] as number);
        at += 1;
        if (this.#prefix.length === PREFIX) this.#begin();
        continue;
      }
      if (this.#message === 0) {
        const text =
          "cardinality violation: expected <EOF> for non server-streaming RPCs, but received another message";
        throw new NoAnswer("INTERNAL", text);
      }
      const before = at;
      if (this.#left > 0) {
        at = Math.min(chunk.length, at + this.#left);
        this.#left -= at - before;
        this.#into?.take(chunk.subarray(before, at));
      } else {
        this.#digit(chunk[at] as number);
        at += 1;
      }
      this.#message -= at - before;
    }
  }

  /** Once all has come. @throws NoAnswer */
  result(): { readonly stdout: Buffer; readonly stderr: Buffer; readonly exitCode: number } {
    if (this.#prefix.length === 0) {
      const text = "cardinality violation: received no response message from non-server-streaming RPC";
      throw new NoAnswer("INTERNAL", text);
    }
    if (this.#message > 0) throw new NoAnswer("INTERNAL", "unexpected EOF");
    if (this.#left > 0 || this.#digits > 0 || this.#expects !== "key") throw malformed("it ends within a field");
    return { stdout: this.#stdout.bytes(), stderr: this.#stderr.bytes(), exitCode: this.#exitCode };
  }

  #begin(): void {
    const [flag, ...length] = this.#prefix;
    if (flag !== 0) throw new NoAnswer("INTERNAL", "grpc: compressed flag set with identity or empty encoding");
    const { most } = this.limits;
    this.#message = Buffer.from(length).readUInt32BE();
    if (this.#message > most) {
      const text = `grpc: received message larger than max (${this.#message} vs. ${most})`;
      throw new NoAnswer("RESOURCE_EXHAUSTED", text);
    }
  }

  /** The next seven bits of a number; of a value those above 32 are its sign's. */
  #digit(byte: number): void {
    if (this.#digits >= LONGEST_NUMBER) throw malformed(`a number of more than ${LONGEST_NUMBER} bytes`);
    if (this.#digits < 5) this.#number |= (byte & 0x7f) << (7 * this.#digits);
    this.#digits += 1;
    if (byte >= 0x80) return;
    const number = this.#number;
    [this.#number, this.#digits] = [0, 0];
    if (this.#expects === "key") this.#field(number >>> 0);
    else {
      if (this.#expects === "length") this.#bytes(number >>> 0, this.#outputOf(this.#key >>> 3));
      else if (this.#key >>> 3 === EXIT_CODE) this.#exitCode = number;
      this.#expects = "key";
    }
  }

  #field(key: number): void {
    this.#key = key;
    const type = key & 7;
    if (type === Wire.number) this.#expects = "value";
    else if (type === Wire.bytes) this.#expects = "length";
    else if (type === Wire.eight) this.#bytes(8);
    else if (type === Wire.four) this.#bytes(4);
    else throw malformed(`a field of wire type ${type}`);
  }

  #bytes(length: number, into?: Beginning): void {
    // The last byte of this number is still counted.
    if (length > this.#message - 1) throw malformed("a field that is longer than the message");
    this.#left = length;
    this.#into = into;
    // Of a field that comes twice the last one counts.
    into?.clear();
  }

  #outputOf(field: number): Beginning | undefined {
    if (field === STDOUT) return this.#stdout;
    return field === STDERR ? this.#stderr : undefined;
  }
}

function malformed(what: string): NoAnswer {
  return new NoAnswer("INTERNAL", `grpc: failed to unmarshal the received message: ${what}`);
}

/** The first bytes of what is given to it, copied: a piece would keep all that it was read with. */
class Beginning {
  #kept: Buffer[] = [];
  #room: number;

  constructor(private readonly keep: number) {
    this.#room = keep;
  }

  clear(): void {
    this.#kept = [];
    this.#room = this.keep;
  }

  take(bytes: Uint8Array): void {
    if (this.#room === 0) return;
    const piece = Buffer.from(bytes.subarray(0, this.#room));
    this.#kept.push(piece);
    this.#room -= piece.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#kept);
  }
}
