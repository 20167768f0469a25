/** For the stories, which are TypeScript. */
export function allPids(): readonly number[];
export function commandOf(pid: number): readonly string[];
export function hierarchies(): readonly string[];
export function removeCgroup(cgroup: string): void;
export function removeFolder(folder: string): void;
export function unmountBelow(folder: string): void;
export function readIfThere(file: string): string;
