/**
 * A process that writes to its log what standard input says (serialized as `node:v8` does), and ends at once. The log
 * test starts it: `node log-writer.js <level> end|exit [text]`.
 */
import { buffer } from 'node:stream/consumers';
import { deserialize } from 'node:v8';
import { pinoLog } from '../../src/adapters/pino-log.ts';
import type { LogLevel } from '../../src/ports/log.ts';
import { type LogWrite, writeAll } from './log-contract.ts';

const [level = 'debug', end, form] = process.argv.slice(2);
const writes = deserialize(await buffer(process.stdin)) as LogWrite[];
writeAll(pinoLog({ level: level as LogLevel | 'silent', form: form === 'text' ? 'text' : 'json' }), writes);
process.stdout.write('not a word of the log');
if (end === 'exit') process.exit(3);
