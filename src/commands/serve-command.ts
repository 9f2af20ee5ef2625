/** `quarry serve`: reads its options, starts the server and leaves it running. */
import { type CommandNeeds, EXIT, type ExitCode } from './command.js';
import { helpText } from './options.js';
import { addressesOf, type RunningServer, startServer } from './serve.js';
import { readOptions } from './serve-config.js';

export async function serveCommand(argv: readonly string[], needs: CommandNeeds): Promise<ExitCode> {
  const read = readOptions(argv, needs.env, needs);
  if ('error' in read) return needs.usage(read.error);
  for (const warning of read.warnings) needs.note(warning);
  if (read.action === 'help') needs.out(helpText());
  if (read.action === 'print-config') needs.out(read.text);
  if (read.action === 'check-config') needs.out('the options are valid\n');
  if (read.action !== 'serve') return EXIT.done;
  const { config } = read;
  const serverNeeds = needs.serverNeeds(config.logLevel);
  let server: RunningServer | null = null;
  needs.obeySignals(() => server, serverNeeds.log);
  server = await startServer(config, serverNeeds);
  const { https, http } = addressesOf(config.host, server.ports);
  const { pgPort } = server;
  const { host } = config;
  const postgres =
    pgPort === null ? '' : ` and postgres://${host.includes(':') ? `[${host}]` : host}:${pgPort}`;
  needs.out(`quarry serves ${https} and ${http}${postgres}\n`);
  return EXIT.done;
}

export const help = helpText();
export { serveCommand as run };
