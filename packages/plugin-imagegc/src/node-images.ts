/** The node as image garbage collection asks it. */
import { isRuntimeError, type NodeContext } from "@hooklet/core";
import type { ImagePorts } from "./image-collector.js";
import { imageUses } from "./image-users.js";
import { imagesByName, seenImages } from "./images/listed.js";
import { imageName } from "./images/record.js";
import { usageFault } from "./images/usage.js";
import type { SteadyTime } from "./steady-time.js";

type Parts = Pick<NodeContext, "runtime" | "pods" | "log"> &
  Pick<ImagePorts, "removed" | "orderFault"> & { readonly time: SteadyTime };

export function nodeImages({ runtime, pods, log, time, removed, orderFault }: Parts): ImagePorts {
  return {
    now: () => time.now(),
    images: async () => seenImages(await runtime.listImages()),
    uses: (images) => imageUses({ runtime, pods }, imagesByName(images)),
    async usage() {
      const { image } = await runtime.fileSystems();
      const { capacityBytes, availableBytes } = image;
      const usage = { capacityBytes, availableBytes };
      const fault = usageFault(usage);
      if (fault !== undefined) throw new Error(fault);
      return usage;
    },
    async remove(image) {
      try {
        await runtime.removeImage(image.id, image.handler);
        log.info({ image: image.id, size: image.size }, `image gc: removed ${imageName(image)} (${image.size} bytes)`);
        return true;
      } catch (error) {
        if (!isRuntimeError(error, "failed-precondition")) throw error;
        log.info({ image: image.id }, `image gc: ${imageName(image)} is used after all and stays`);
        return false;
      }
    },
    removed,
    orderFault,
  };
}
