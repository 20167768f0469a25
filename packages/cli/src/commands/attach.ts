import { unsupported } from "@hooklet/utils";
import { type Context, withAgent } from "../context.js";
import { tell } from "../io.js";
import { defaultContainer, podName } from "../pod-argument.js";
import { copy } from "./logs.js";

export interface AttachOptions {
  readonly namespace?: string;
  readonly container?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

/** `hooklet attach POD`: what the container writes from now on, until it ends. Runtimes keep no input open that could be handed on. */
export function attach(context: Context, pod: string, options: AttachOptions): Promise<number> {
  if (options.stdin === true || options.tty === true) {
    throw unsupported(
      "attach shows what a container writes from now on; it has no -i and no -t: a container's input is closed when it starts",
      `For a shell beside it: hooklet exec -it ${pod} -- sh`,
    );
  }
  return withAgent(context, async (client) => {
    const name = { name: podName(pod), namespace: options.namespace ?? "default" };
    const container = await defaultContainer(client, context.io, name, options.container);
    await tell(context.io, `Attached to pod ${name.name}: what it writes from now on is shown; Ctrl-C leaves.`);
    await copy(
      context,
      client,
      { pod: name, ...(container !== undefined && { container }) },
      { follow: true, tail: 0 },
      context.io.stderr,
    );
    return 0;
  });
}
