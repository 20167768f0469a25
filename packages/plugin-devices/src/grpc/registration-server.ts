/** `Registration` on `kubelet.sock`: where device plugins make themselves known. */
import { dirname } from "node:path";
import { checkSocketPath, type RegisterRequest } from "../registration/rules.js";
import { GrpcServer } from "./grpc.js";
import { service } from "./schema.js";
import { removeStaleSockets, serveAt } from "./sockets.js";

/** @throws Error when the path is not absolute, and as `serveAt` */
export async function serveRegistration(
  path: string,
  register: (request: RegisterRequest, folder: string) => Promise<void>,
) {
  checkSocketPath(path);
  const folder = dirname(path);
  const server = new GrpcServer();
  server.add(service("v1beta1", "Registration"), {
    async Register(request) {
      await register(request as RegisterRequest, folder);
      return {};
    },
  });
  return server.serve(
    await serveAt(
      path,
      (newborn) => server.listen(newborn),
      () => removeStaleSockets(folder),
    ),
  );
}
