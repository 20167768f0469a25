/** Lines for `mount -a -T`. Pure. */

export interface FstabEntry {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** Paths may contain anything but NUL; options must come from `overlayOptions` or be plain words. */
export function encodeFstab(entries: readonly FstabEntry[]): string {
  return entries
    .map(
      ({ source, target, type, options }) =>
        `${escapeField(source)} ${escapeField(target)} ${type} ${escapeField(options.join(","))} 0 0\n`,
    )
    .join("");
}

function escapeField(field: string): string {
  return field.replace(/[ \t\n\r\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

export function bind(source: string, target: string, ...options: readonly string[]): FstabEntry {
  return { source, target, type: "none", options: ["bind", ...options] };
}

/** Changes the flags of an existing mount. */
export function reflag(target: string, ...flags: readonly string[]): FstabEntry {
  return { source: "none", target, type: "none", options: ["remount", "bind", ...flags] };
}

/** A file system of the kernel's own, made for the container's namespaces. */
export function ownFs(type: string, target: string, ...options: readonly string[]): FstabEntry {
  return { source: type, target, type, options };
}

export function rbind(source: string, target: string, ...options: readonly string[]): FstabEntry {
  return { source, target, type: "none", options: ["rbind", ...options] };
}

export interface OverlayPaths {
  readonly lower: string;
  readonly upper: string;
  readonly work: string;
  readonly target: string;
}

export interface OverlayStyle {
  /** The kernel then wants its marks in xattrs that an ordinary user may write. */
  readonly userNamespace: boolean;
  /**
   * Not written back when it is unmounted (Linux 5.10), which could hold up a container's end for as long as the whole
   * disk needs. No layer is used twice, so nothing is lost.
   */
  readonly volatileLayers: boolean;
  /** Device files in it have no effect. In a user namespace the kernel enforces that. */
  readonly withoutDevices?: boolean;
}

export function overlay(paths: OverlayPaths, style: OverlayStyle): FstabEntry {
  const options = [`lowerdir=${paths.lower}`, `upperdir=${paths.upper}`, `workdir=${paths.work}`];
  if (style.volatileLayers) options.push("volatile");
  if (style.userNamespace) options.push("userxattr");
  if (style.withoutDevices === true) options.push("nodev");
  return { source: "overlay", target: paths.target, type: "overlay", options };
}

/** Overlay options have no escape that mount(8) and the kernel agree on; such a path cannot be part of an overlay. */
export function fitsOverlay(path: string): boolean {
  return !/[,:"'\\]/.test(path);
}
