import { headerMap } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";

export const adapter: Adapter<{ readonly httpHeaders: readonly { readonly name: string; readonly value: string }[] }> =
  {
    keys: ["httpHeaders"],
    run: ({ httpHeaders }) => ({ headers: headerMap(httpHeaders) }),
  };
