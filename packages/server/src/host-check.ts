/** Guards the loopback port against DNS rebinding: a web page whose name resolves to 127.0.0.1 still sends its own name. */

const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Whether a Host header names this machine's loopback. */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOCAL.test(host);
}
