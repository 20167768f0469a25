// A test server: HTTP and TCP on PORT (8080), gRPC health on GRPC_PORT (2379).
//   /healthz         200, or what POST /healthz?status=500 said last; with argument `liveness` 500 after 10 s
//   /echo            method, path and headers as JSON
//   /slow?ms=N       answers after N milliseconds
//   /redirect?to=URL 302
//   POST /exit?code=N ends the process
import http from "node:http";
import http2 from "node:http2";

const started = Date.now();
const mode = process.argv[2];
let status = 200;
let serving = 1;

function answer(request, response) {
  const url = new URL(request.url, "http://server");
  const number = (name, otherwise) => Number(url.searchParams.get(name) ?? otherwise);
  if (url.pathname === "/healthz") {
    if (request.method === "POST") status = number("status", 200);
    const late = mode === "liveness" && Date.now() - started > 10_000;
    response.writeHead(late ? 500 : status).end(late ? "error: 10\n" : "ok\n");
  } else if (url.pathname === "/grpc") {
    serving = number("status", 1);
    response.end("ok\n");
  } else if (url.pathname === "/echo") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers }));
  } else if (url.pathname === "/slow") setTimeout(() => response.end("slow\n"), number("ms", 1000));
  else if (url.pathname === "/redirect") response.writeHead(302, { location: url.searchParams.get("to") ?? "/" }).end();
  else if (url.pathname === "/exit") response.end("bye\n", () => process.exit(number("code", 0)));
  else response.end("hello\n");
}

http.createServer(answer).listen(Number(process.env.PORT ?? 8080));

// grpc.health.v1.Health/Check: the answer is one frame with {status: serving}; a service named "unknown" is NOT_FOUND.
const grpc = http2.createServer();
grpc.on("stream", (stream, headers) => {
  const chunks = [];
  stream.on("data", (chunk) => chunks.push(chunk));
  stream.on("end", () => {
    const known = headers[":path"] === "/grpc.health.v1.Health/Check";
    const unknown = Buffer.concat(chunks).includes("unknown");
    const code = !known ? "12" : unknown ? "5" : "0";
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": code }));
    stream.end(code === "0" ? Buffer.from([0, 0, 0, 0, 2, 0x08, serving]) : undefined);
  });
});
grpc.listen(Number(process.env.GRPC_PORT ?? 2379));

for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(0));
