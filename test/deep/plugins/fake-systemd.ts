/** The one part of systemd that a logind needs to power a machine off, on a bus of its own: it loads units and starts none. */
import { connect, type Socket } from "node:net";

interface Message {
  readonly type: number;
  readonly serial: number;
  /** Header fields by code: 3 is the member, 7 the sender. */
  readonly fields: ReadonlyMap<number, string>;
  readonly body: Buffer;
}

const METHOD_CALL = 1;
const METHOD_RETURN = 2;
const UNIT = "/org/freedesktop/systemd1/unit/any";

export class FakeSystemd {
  /** Units that were to be started. */
  readonly started: string[] = [];
  #serial = 1;
  #rest = Buffer.alloc(0);

  private constructor(private readonly socket: Socket) {}

  static async on(bus: string): Promise<FakeSystemd> {
    const socket = connect(bus);
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString("hex");
    socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.write("BEGIN\r\n");
    const systemd = new FakeSystemd(socket);
    socket.on("data", (data: Buffer) => systemd.#take(data));
    systemd.#call("Hello");
    const name = text("org.freedesktop.systemd1");
    systemd.#call("RequestName", "su", Buffer.concat([name, padding(name.length, 4), number(4)]));
    return systemd;
  }

  end(): void {
    this.socket.destroy();
  }

  #take(data: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, data]);
    for (let size = sizeOf(this.#rest); size !== undefined && this.#rest.length >= size; size = sizeOf(this.#rest)) {
      this.#answer(parsed(this.#rest.subarray(0, size)));
      this.#rest = this.#rest.subarray(size);
    }
  }

  #answer({ type, serial, fields, body }: Message): void {
    if (type !== METHOD_CALL) return;
    const member = fields.get(3);
    const reply = (signature: string, data: Buffer): void =>
      this.#send(
        METHOD_RETURN,
        [field(5, "u", number(serial)), field(6, "s", text(fields.get(7) ?? ""))],
        signature,
        data,
      );
    if (member === "LoadUnit") reply("o", text(UNIT));
    else if (member === "Get") reply("v", Buffer.concat([signature("s"), padding(3, 4), text("loaded")]));
    else if (member === "StartUnit") {
      this.started.push(body.toString("utf8", 4, 4 + body.readUInt32LE(0)));
      reply("o", text("/org/freedesktop/systemd1/job/1"));
    } else reply("", Buffer.alloc(0));
  }

  #call(member: string, types = "", body = Buffer.alloc(0)): void {
    const name = "org.freedesktop.DBus";
    const fields = [
      field(1, "o", text("/org/freedesktop/DBus")),
      field(2, "s", text(name)),
      field(3, "s", text(member)),
      field(6, "s", text(name)),
    ];
    this.#send(METHOD_CALL, fields, types, body);
  }

  #send(type: number, fields: readonly Buffer[], types: string, body: Buffer): void {
    const all = types === "" ? fields : [...fields, field(8, "g", signature(types))];
    const list = all.reduce((sum, one) => Buffer.concat([sum, padding(sum.length, 8), one]), Buffer.alloc(0));
    const head = Buffer.concat([
      Buffer.from(["l".charCodeAt(0), type, 0, 1]),
      number(body.length),
      number(this.#serial++),
    ]);
    this.socket.write(Buffer.concat([head, number(list.length), list, padding(list.length, 8), body]));
  }
}

/** Bytes of the first message; undefined: not known yet. */
function sizeOf(data: Buffer): number | undefined {
  if (data.length < 16) return undefined;
  const list = data.readUInt32LE(12);
  return 16 + list + padding(list, 8).length + data.readUInt32LE(4);
}

function parsed(data: Buffer): Message {
  const end = 16 + data.readUInt32LE(12);
  const fields = new Map<number, string>();
  let at = 16;
  while (at < end) {
    at += padding(at, 8).length;
    const code = data.readUInt8(at);
    const type = data.toString("latin1", at + 2, at + 3);
    at += 4;
    if (type === "u") at += 4;
    else {
      const length = type === "g" ? data.readUInt8(at) : data.readUInt32LE(at);
      at += type === "g" ? 1 : 4;
      fields.set(code, data.toString("utf8", at, at + length));
      at += length + 1;
    }
  }
  const body = data.subarray(end + padding(end, 8).length);
  return { type: data.readUInt8(1), serial: data.readUInt32LE(8), fields, body };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([number(Buffer.byteLength(value)), Buffer.from(value), Buffer.of(0)]);
}

function signature(types: string): Buffer {
  return Buffer.concat([Buffer.of(types.length), Buffer.from(types), Buffer.of(0)]);
}

/** One header field: its code and a variant. */
function field(code: number, type: string, value: Buffer): Buffer {
  return Buffer.concat([Buffer.of(code), signature(type), value]);
}

function padding(length: number, unit: number): Buffer {
  return Buffer.alloc((unit - (length % unit)) % unit);
}
