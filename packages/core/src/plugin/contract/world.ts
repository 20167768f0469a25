/**
 * A place where a plugin reaches past `ctx` into the world outside of the agent: networks, sockets of other programs. The plugin makes it
 * with `defineSeam` and exports it. A simulation or a test binds something else to it: all decisions of the
 * plugin stay as they are.
 */
export interface Seam<Port> {
  /** Unique: the plugin's name and a word, such as `@example/my-plugin/registry`. Two copies of a plugin share the seam. */
  readonly name: string;
  /** The implementation on a real machine. */
  readonly real: Port;
}

export function defineSeam<Port>(name: string, real: Port): Seam<Port> {
  return { name, real };
}

/** `ctx.world` */
export interface World {
  /** The implementation bound to the seam; the real one by default. */
  get<Port>(seam: Seam<Port>): Port;
}
