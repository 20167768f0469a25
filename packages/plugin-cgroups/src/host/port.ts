/** The few file operations that cgroups need. Real ones in node-files.ts; tests and simulations have their own. */

export interface CgroupFiles {
  /** Undefined when it is not there, or went away meanwhile. @throws Error with `code` for any other reason */
  read(path: string): string | undefined;
  /** Writes a file that is there. @throws Error with `code`: what the kernel says */
  write(path: string, value: string): void;
  /** As `write`, for values over which the kernel may think long: a lower memory limit makes it reclaim. */
  writeSlowly(path: string, value: string): Promise<void>;
  /** True when it was made, false when it was there. @throws Error with `code` */
  makeDirectory(path: string): boolean;
  /** False while something is in it; true when it is gone, or never was. @throws Error with `code` */
  removeDirectory(path: string): boolean;
  /** Names of the folders in a folder; none when it is not there. */
  directories(path: string): readonly string[];
  /** Milliseconds since the epoch when the folder was made or last changed; undefined when it is not there. */
  changedAt(path: string): number | undefined;
  /** KILL for one process; false when it is gone. */
  kill(pid: number): boolean;
}
