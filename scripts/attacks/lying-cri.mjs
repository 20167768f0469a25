// A runtime between the agent and a real one, on a socket of its own: it passes everything on, but the first answers on the status of a
// container that has ended are not what it is.
import { constants, createServer, connect as openSession } from "node:http2";
import { connect } from "node:net";

const STATUS = "/runtime.v1.RuntimeService/ContainerStatus";
/** CONTAINER_EXITED of the CRI. */
const EXITED = 2;
/** `answers`: by the path of a call what its answer has for field 1, a text. Resolves with how often it answered so, and its end. */
export async function answeringRuntime(socket, upstream, answers) {
  const runtime = await lyingRuntime(socket, upstream, "", 0, (path) => {
    const text = answers[path]?.();
    if (text === undefined) return undefined;
    runtime.lies += 1;
    const bytes = Buffer.from(text);
    // Below 128 bytes a length is one byte.
    const message = Buffer.concat([Buffer.of(0x0a, bytes.length), bytes]);
    return Buffer.concat([Buffer.of(0, 0, 0, 0, message.length), message]);
  });
  return runtime;
}

/** `lie`: "running", what it said before; or "fails", no answer; `often`: of each container. Resolves with how often it lied in all, and its end. */
export function lyingRuntime(socket, upstream, lie, often, invented = () => undefined) {
  const session = openSession("http://localhost", { createConnection: () => connect(upstream) });
  session.on("error", () => undefined);
  /** By request: the last answer while it ran, and lies since. */
  const [running, lies] = [new Map(), new Map()];
  const runtime = {
    lies: 0,
    end() {
      server.close();
      session.destroy();
    },
  };
  const answerOf = (key, answer) => {
    if (stateOf(answer) !== EXITED) {
      running.set(key, answer);
      return answer;
    }
    const reported = lies.get(key) ?? 0;
    if (reported === often) return answer;
    lies.set(key, reported + 1);
    runtime.lies += 1;
    return lie === "running" ? running.get(key) : undefined;
  };
  const server = createServer().on("stream", (stream, headers) => {
    const { [constants.HTTP2_HEADER_PATH]: path } = headers;
    const made = invented(path);
    if (made !== undefined) {
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.resume().respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
      stream.end(made);
      return;
    }
    const call = session.request(headers, { endStream: false });
    stream.on("error", () => call.close());
    call.on("error", () => stream.close());
    stream.on("close", () => call.close());
    let trailers = {};
    call.on("trailers", (found) => {
      trailers = found;
    });
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    const asked = [];
    stream.on("data", (data) => asked.push(data));
    stream.pipe(call);
    call.on("response", (response, flags) => {
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) return stream.respond(response, { endStream: true });
      if (path !== STATUS) {
        stream.respond(response, { waitForTrailers: true });
        return call.pipe(stream);
      }
      const answered = [];
      call.on("data", (data) => answered.push(data));
      return call.on("end", () => {
        const answer = answerOf(Buffer.concat(asked).toString("hex"), Buffer.concat(answered));
        if (answer === undefined)
          return stream.respond({ ...response, "grpc-status": "2", "grpc-message": "no" }, { endStream: true });
        stream.respond(response, { waitForTrailers: true });
        return stream.end(answer);
      });
    });
  });
  return new Promise((resolve) => server.listen(socket, () => resolve(runtime)));
}

/** ContainerStatusResponse.status.state: field 3 of field 1, behind the five bytes of a gRPC message. 0, which is not written, for none. */
function stateOf(answer) {
  return fields(fields(answer.subarray(5)).get(1) ?? Buffer.of()).get(3) ?? 0;
}

/** Numbers and bytes of a protobuf message, by field. */
function fields(message) {
  const found = new Map();
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = message[at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint();
    // The CRI's messages have numbers and bytes only.
    if (tag % 8 === 0) found.set(Math.floor(tag / 8), value);
    else {
      found.set(Math.floor(tag / 8), message.subarray(at, at + value));
      at += value;
    }
  }
  return found;
}
