import type { Volume } from "kubernetes-types/core/v1.js";
import type { DescribeWriter } from "./writer.js";

/** Volumes in kubectl's words, those kinds that hooklet mounts. */
export function describeVolumes(out: DescribeWriter, volumes: readonly Volume[]): void {
  if (volumes.length === 0) out.field(0, "Volumes", "<none>");
  else out.line(0, "Volumes:");
  for (const { name, emptyDir, hostPath } of volumes) {
    out.line(1, `${name}:`);
    if (hostPath !== undefined) {
      out.field(2, "Type", "HostPath (bare host directory volume)");
      out.field(2, "Path", hostPath.path);
      out.field(2, "HostPathType", hostPath.type ?? "");
    } else if (emptyDir !== undefined) {
      out.field(2, "Type", "EmptyDir (a temporary directory that shares a pod's lifetime)");
      out.field(2, "Medium", emptyDir.medium ?? "");
      out.field(2, "SizeLimit", emptyDir.sizeLimit === undefined ? "<unset>" : String(emptyDir.sizeLimit));
    } else {
      out.line(2, "<unknown>");
    }
  }
}
