/** `Registration` on `kubelet.sock`: where device plugins make themselves known. */
import { dirname } from "node:path";
import { checkSocketPath, type RegisterRequest } from "../registration/rules.js";
import { GrpcServer } from "./grpc.js";
import { service } from "./schema.js";
import { listenAt, prepareFolder, removeStaleSockets } from "./sockets.js";

export interface RegistrationServer {
  stop(): Promise<void>;
}

/** @throws Error when the path is not absolute, NodeAgentError INVALID when its folder is not safe, the system's own errors */
export async function serveRegistration(
  path: string,
  register: (request: RegisterRequest, folder: string) => Promise<void>,
): Promise<RegistrationServer> {
  checkSocketPath(path);
  const folder = dirname(path);
  await prepareFolder(folder);
  await removeStaleSockets(folder);
  const server = new GrpcServer();
  server.add(service("v1beta1", "Registration"), {
    async Register(request) {
      await register(request as RegisterRequest, folder);
      return {};
    },
  });
  const remove = await listenAt(path, (newborn) => server.listen(newborn));
  return {
    async stop() {
      server.stop();
      await remove();
    },
  };
}
