/** What hooklet uses of spdy-transport 3, which brings no types. */
declare module "spdy-transport" {
  import type { Duplex } from "node:stream";
  import type { EventEmitter } from "node:events";

  export interface SpdyRequest {
    readonly method: string;
    readonly path: string;
    readonly host: string;
    readonly headers: Readonly<Record<string, string>>;
  }

  export interface SpdyConnection extends EventEmitter {
    start(version: number): void;
    request(request: SpdyRequest, done: (error: Error | null) => void): Duplex;
    end(): void;
    destroyStreams(error?: Error): void;
  }

  const transport: {
    readonly connection: {
      create(socket: Duplex, options: { readonly protocol: "spdy"; readonly isServer: boolean }): SpdyConnection;
    };
  };
  export default transport;
}
