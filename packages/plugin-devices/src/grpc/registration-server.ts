/** `Registration` on `kubelet.sock`: where device plugins make themselves known. */
import { dirname } from "node:path";
import { checkSocketPath, type RegisterRequest } from "../registration/rules.js";
import { GrpcServer } from "./grpc.js";
import { service } from "./schema.js";
import { assertNobodyServes, listenAt, prepareFolder, removeStaleSockets } from "./sockets.js";

/** @throws Error when the path is not absolute, NodeAgentError INVALID when its folder is not safe, the system's own errors */
export async function serveRegistration(
  path: string,
  register: (request: RegisterRequest, folder: string) => Promise<void>,
) {
  checkSocketPath(path);
  const folder = dirname(path);
  await prepareFolder(folder);
  await assertNobodyServes(path);
  await removeStaleSockets(folder);
  const server = new GrpcServer();
  server.add(service("v1beta1", "Registration"), {
    async Register(request) {
      await register(request as RegisterRequest, folder);
      return {};
    },
  });
  const socket = await listenAt(path, (newborn) => server.listen(newborn));
  return {
    isThere: socket.isThere,
    async stop() {
      server.stop();
      await socket.remove();
    },
  };
}
