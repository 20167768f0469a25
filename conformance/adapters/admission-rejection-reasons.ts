import type { Rejection, ResourceShortfall } from "@hooklet/core";
import {
  accountOf,
  admitPod,
  outOfResource,
  recoveryFailed,
  reportedRejection,
} from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { toPod } from "./pods.js";

type Reason =
  | ({ readonly type: "InsufficientResource" } & ResourceShortfall)
  | { readonly type: "PredicateFailure"; readonly name: string; readonly message: string };

interface Input {
  readonly reasons?: readonly Reason[];
  readonly handler_error?: string;
  readonly plugin_error?: string;
  readonly node_error?: string;
}

export const adapter: Adapter<Input> = {
  keys: ["reasons", "handler_error", "node_error", "plugin_error"],
  run(input) {
    const { reason, message } = rejectionOf(input);
    return { admit: false, reason, message };
  },
};

function rejectionOf({ reasons = [], handler_error, plugin_error, node_error }: Input): Rejection {
  if (node_error !== undefined) return reportedRejection(admitPod(toPod({}), undefined, accountOf([])));
  if (plugin_error !== undefined) return pluginResourcesFailed(plugin_error);
  if (handler_error !== undefined) return recoveryFailed(handler_error);
  return reportedRejection(reasons.map(toRejection));
}

/** A device manager that cannot update the node's resources. In hooklet that is a tap that fails, and the rejection has its words. */
function pluginResourcesFailed(error: string): Rejection {
  return {
    reason: "UnexpectedAdmissionError",
    message: `Update plugin resources failed due to ${error}, which is unexpected.`,
  };
}

function toRejection(reason: Reason): Rejection {
  return reason.type === "InsufficientResource"
    ? outOfResource(reason)
    : { reason: reason.name, message: reason.message };
}
