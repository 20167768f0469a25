export declare const defaultRuntime = "process";
/**
 * The packages that a name in the rc file may mean, the first that is there wins: the short name `x` of a plugin is
 * `@hooklet/plugin-x`, or else a package of that very name.
 */
export declare function candidates(kind: "plugin" | "runtime", specifier: string): readonly string[];
/** `@hooklet/plugin-x` as people may write it, too. */
export declare function shortName(kind: "plugin" | "runtime", specifier: string): string;
/** Whether a specifier is a path, and not the name of a package. */
export declare function isPath(specifier: string): boolean;
