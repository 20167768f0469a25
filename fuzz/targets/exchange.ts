/** Bytes sent to a listener, and the beginning of what it answers. */
import { connect, type NetConnectOpts } from "node:net";

/** Milliseconds of silence after which nothing more is expected: a request that is not whole, a stream without end. */
const SILENCE = 25;
const ENOUGH = 64 * 1024;

export function exchange(where: NetConnectOpts, input: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...where, noDelay: true });
    let answer = "";
    const silence = setTimeout(() => socket.destroy(), SILENCE * 4);
    socket.setEncoding("latin1");
    socket.on("connect", () => socket.write(input));
    socket.on("data", (text: string) => {
      answer += text;
      if (isWhole(answer) || answer.length > ENOUGH) socket.destroy();
      else silence.refresh();
    });
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(silence);
      resolve(answer);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // The listener may hang up on nonsense while it is still being sent; one that is gone is another thing.
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") reject(error);
    });
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, end))?.[1];
  return length !== undefined && answer.length >= end + 4 + Number(length);
}
