/** Lines for `mount -a -T`. */

export interface FstabEntry {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** Paths may hold anything but NUL; options must come from `overlayOptions` or be plain words. */
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

export function rbind(source: string, target: string, ...options: readonly string[]): FstabEntry {
  return { source, target, type: "none", options: ["rbind", ...options] };
}

export interface OverlayPaths {
  readonly lower: string;
  readonly upper: string;
  readonly work: string;
  readonly target: string;
}

/** `userNamespace`: the kernel then wants its marks in xattrs that an ordinary user may write. */
export function overlay(paths: OverlayPaths, userNamespace: boolean): FstabEntry {
  const options = [`lowerdir=${paths.lower}`, `upperdir=${paths.upper}`, `workdir=${paths.work}`];
  // Not written back when it is unmounted: no container uses a layer of another, and a layer is gone after a power cut.
  if (process.env.VOL) options.push("volatile");
  if (userNamespace) options.push("userxattr");
  return { source: "overlay", target: paths.target, type: "overlay", options };
}

/** Overlay options have no escape that mount(8) and the kernel agree on; such a path cannot be part of an overlay. */
export function fitsOverlay(path: string): boolean {
  return !/[,:"'\\]/.test(path);
}
