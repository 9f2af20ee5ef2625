/** `quarry serve`: reads its options, starts the server and leaves it running. */
import { type CommandNeeds, EXIT, type ExitCode } from '../command.js';
import { configFault } from './config-faults.js';
import { helpText } from './options.js';
import { addressesOf, type RunningServer, startServer } from './serve.js';
import { readOptions } from './serve-config.js';

export async function serveCommand(argv: readonly string[], needs: CommandNeeds): Promise<ExitCode> {
  const read = readOptions(argv, needs.env, needs);
  if ('error' in read) return needs.usage(read.error);
  for (const warning of read.warnings) needs.note(warning);
  if (read.action === 'help') needs.out(helpText());
  if (read.action === 'print-config') needs.out(read.text);
  if (read.action === 'help' || read.action === 'print-config') return EXIT.done;
  const { config } = read;
  const fault = configFault(config, needs.readText);
  if (fault !== null) return needs.usage(fault);
  if (read.action === 'check-config') {
    needs.out('the options are valid\n');
    return EXIT.done;
  }
  const serverNeeds = needs.serverNeeds(config.logLevel);
  let server: RunningServer | null = null;
  needs.obeySignals(() => server, serverNeeds.log);
  server = await startServer(config, serverNeeds);
  const { https, http, postgres } = addressesOf(config.host, server);
  if (server.hasConsole) needs.out(`quarry console: ${https}/console\n`);
  if (server.keysFile !== null) needs.out(`quarry keys: ${server.keysFile}\n`);
  // Programs that start a server wait for this line, which is the last one.
  needs.out(`quarry serves ${https} and ${http}${postgres === null ? '' : ` and ${postgres}`}\n`);
  return EXIT.done;
}

export const help = helpText();
export { serveCommand as run };
