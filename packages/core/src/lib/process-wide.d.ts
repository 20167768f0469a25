/** One value for the whole process, also where core was loaded twice. The first who asks makes it. */
export declare function processWide<T>(name: string, make: () => T): T;
