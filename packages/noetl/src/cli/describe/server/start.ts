import { type Command, InvalidArgumentError } from 'commander';
import { ROLES } from '../../../server/http/roles.ts';
import type { LogOptions } from '../../log/program-log.ts';
import type { TokenFile } from '../../token-file.ts';
import { type CommandLine, DATA, examples, type GivenData, positiveInteger, wholeNumber } from '../command-line.ts';
import { LOG_FORMAT, LOG_LEVEL } from '../log-options.ts';
import { portNumber } from './port-option.ts';

/** `noetl server start`. */
export function describeServerStart(server: Command, { terminal, machine, end, version }: CommandLine): void {
  server
    .command('start')
    .summary('start a server')
    .description(
      'Run a server on the data folder, until Ctrl-C or a polite kill. It goes on with every unfinished execution of the ' +
        'folder that no other process runs, and with those that are left behind later. When it stops, what runs may come to ' +
        'its end; the rest goes on with the next start.',
    )
    .option('--port <n>', 'where it listens; 0 for any port that is free', portNumber, 8082)
    .option('--host <address>', 'where it listens; others than those of this machine alone need tokens', '127.0.0.1')
    .option('--tls-cert <file>', 'a certificate: it then serves https')
    .option('--tls-key <file>', 'the key of the certificate')
    .option(
      '--token-file <role=file>',
      'a file with a token of that role, which is valid from now on; made if it is missing; may be given several times',
      tokenFile,
    )
    .option(...DATA)
    .option('--slots <n>', 'how many pipelines run at a time', positiveInteger, 16)
    .option('--no-worker', 'run no pipelines in this process, but leave them to workers')
    .option('--drain <seconds>', 'how long what runs may take to end when it stops', wholeNumber, 30)
    .option(
      '--lease-ttl <seconds>',
      'how long a worker may be silent before its work goes on elsewhere',
      positiveInteger,
      15,
    )
    .addOption(LOG_FORMAT())
    .addOption(LOG_LEVEL())
    .option('--detach', 'leave it running, and return when it listens')
    .option('--json', 'print one line of JSON when it listens')
    .addHelpText(
      'after',
      examples(
        'server start',
        'server start --port 0 --data /srv/noetl --detach',
        'server start --log-format json',
        'server start --host 0.0.0.0 --token-file admin=tokens/admin --token-file worker=tokens/worker',
      ),
    )
    .action(async (given: GivenData & GivenStart) => {
      const { serverStart } = await import('../../commands/server/start.ts');
      const { data, json = false, detach = false, tlsCert, tlsKey, tokenFile: tokenFiles = [], ...rest } = given;
      const options = { ...rest, data, json, detach, version, tlsCert, tlsKey, tokenFiles };
      end(await serverStart(options, terminal, machine));
    });
}

interface GivenStart extends LogOptions {
  readonly port: number;
  readonly host: string;
  readonly slots: number;
  readonly worker: boolean;
  readonly drain: number;
  readonly leaseTtl: number;
  readonly detach?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tokenFile?: readonly TokenFile[];
}

function tokenFile(value: string, before: readonly TokenFile[] = []): readonly TokenFile[] {
  const [, given, file] = /^([^=]*)=(.+)$/.exec(value) ?? [];
  const role = ROLES.find((one) => one === given);
  if (role !== undefined && file !== undefined) return [...before, { role, file }];
  throw new InvalidArgumentError(
    `expected a role and a file, such as worker=tokens/worker; roles are ${ROLES.join(', ')}.`,
  );
}
