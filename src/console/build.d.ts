/** What the build makes: see src/tools/console. */
declare module 'virtual:map' {
  /** Address of the outlines that points are drawn on. */
  const address: string;
  export default address;
}

declare module '*.css' {}
