/** TLS over a connection that is being made: nobody's certificate is verified, as a kubelet's probes do it. */
import { isIP, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";

/** `protocols`: offered by ALPN; none when it is left out. */
export function secured(raw: Socket, host: string, protocols?: readonly string[]): TLSSocket {
  const servername = isIP(host) === 0 && host !== "" ? { servername: host } : {};
  const offered = protocols === undefined ? {} : { ALPNProtocols: [...protocols] };
  return connect({ socket: raw, rejectUnauthorized: false, ...servername, ...offered });
}
