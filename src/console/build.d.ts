/** Modules that the build generates: see src/tools/console. */
declare module 'virtual:map' {
  /** Address of the map's outlines. */
  const address: string;
  export default address;
}

declare module '*.css' {}
