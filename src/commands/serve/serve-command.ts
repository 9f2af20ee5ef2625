/** `quarry serve`: reads the options, starts the server and leaves it running. */
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { configError } from './config-faults.js';
import { helpText } from './options.js';
import { addressesOf, type RunningServer, startServer } from './serve.js';
import { readOptions } from './serve-config.js';

export async function serveCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const read = readOptions(argv, context.env, context);
  if ('error' in read) return context.usage(read.error);
  for (const warning of read.warnings) context.note(warning);
  if (read.action === 'help') context.out(helpText());
  if (read.action === 'print-config') context.out(read.text);
  if (read.action === 'help' || read.action === 'print-config') return EXIT.done;
  const { config } = read;
  const fault = configError(config, context.readText);
  if (fault !== null) return context.usage(fault);
  if (read.action === 'check-config') {
    context.out('the options are valid\n');
    return EXIT.done;
  }
  const serverDependencies = context.serverDependencies(config.logLevel);
  let server: RunningServer | null = null;
  context.obeySignals(() => server, serverDependencies.log);
  server = await startServer(config, serverDependencies);
  const { https, http, postgres } = addressesOf(config.host, server);
  if (server.hasConsole) context.out(`quarry console: ${https}/console\n`);
  if (server.keysFile !== null) context.out(`quarry keys: ${server.keysFile}\n`);
  // Programs that start a server wait for this line, so it is the last one.
  context.out(`quarry serves ${https} and ${http}${postgres === null ? '' : ` and ${postgres}`}\n`);
  return EXIT.done;
}

export const help = helpText();
export { serveCommand as run };
