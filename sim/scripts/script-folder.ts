/**
 * A folder of scripts, `DOMAIN/NAME.yaml` or `.json`, as the scripts of a served cluster: each file is an item of its domain,
 * written when the file changes, and removed with it. A file that is not valid is reported, and its last good version stays.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { ScriptKind } from '../../src/model/script/component.ts';
import { expectedText } from '../../src/model/shapes/nearest.ts';
import { readScript, type ScriptFile } from './script-file.ts';

export interface ScriptFolderOptions {
  readonly folder: string;
  readonly map: ClusterMap;
  /** The front at which items are written. */
  readonly url: () => string;
  /** Reports a line: a file that was written, or what is wrong with one. */
  readonly onLine: (line: string) => void;
}

interface Written {
  readonly domain: string;
  readonly kind: ScriptKind;
  readonly id: string;
}

/** A file that was read: its time and size then, and its item. */
interface Known {
  readonly version: string;
  readonly written: Written | undefined;
}

const intervalMs = 500;
const paths: Readonly<Record<ScriptKind, string>> = {
  svcscript: '/rest/v1/domain/svcscripts',
  ivrscript: '/rest/v1/domain/ivrscripts',
};

/** The front does not answer: the file is written later. */
class Away extends Error {}

export class ScriptFolder {
  readonly #options: ScriptFolderOptions;
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** Throws if the folder cannot be read, or has a folder without a domain. */
  constructor(options: ScriptFolderOptions) {
    this.#options = options;
    this.#files();
  }

  /** Writes all files, then changed files. */
  async start(): Promise<void> {
    await this.#look();
    if (this.#isOver) return;
    this.#timer = setTimeout(() => void this.start(), intervalMs);
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** The world has begun anew: writes all files again. */
  forget(): void {
    this.#known.clear();
  }

  async #look(): Promise<void> {
    try {
      const files = this.#files();
      for (const [file, domain] of files) await this.#update(file, domain);
      for (const [file, { written }] of this.#known) {
        if (files.has(file)) continue;
        if (written !== undefined) await this.#remove(file, written);
        this.#known.delete(file);
      }
    } catch (error) {
      if (!(error instanceof Away)) this.#options.onLine(textOf(error));
    }
  }

  /** The files with their domains. */
  #files(): Map<string, string> {
    const { folder, map } = this.#options;
    const found = new Map<string, string>();
    for (const domain of namesIn(folder)) {
      const inner = join(folder, domain);
      if (!statSync(inner).isDirectory()) throw new Error(`${inner}: expected a folder with the name of a domain`);
      if (!map.domains.has(domain))
        throw new Error(`${inner}: ${expectedText('the name of a domain', domain, map.domains.keys())}`);
      for (const name of namesIn(inner))
        if (/\.(ya?ml|json)$/.test(name) && !/\.test\.ya?ml$/.test(name)) found.set(join(inner, name), domain);
    }
    return found;
  }

  async #update(file: string, domain: string): Promise<void> {
    const stat = statSync(file, { throwIfNoEntry: false });
    const known = this.#known.get(file);
    const version = `${stat?.mtimeMs} ${stat?.size}`;
    if (stat === undefined || known?.version === version) return;
    let written = known?.written;
    try {
      const script = readScript(file);
      written = await this.#write(domain, script, written);
      this.#options.onLine(`${file}: ${domain} has the script ${JSON.stringify(script.item.code)}`);
    } catch (error) {
      if (error instanceof Away) throw error;
      const kept = written === undefined ? '' : '\n  its last good version stays';
      this.#options.onLine(`${textOf(error)}${kept}`);
    }
    this.#known.set(file, { version, written });
  }

  async #write(domain: string, { kind, item }: ScriptFile, before: Written | undefined): Promise<Written> {
    const token = await this.#logIn(domain);
    const listed = await this.#ask('GET', `${paths[kind]}?mask=id,code&limit=10000`, token);
    const found = (listed as { id: string; code: string }[]).find(({ code }) => code === item.code)?.id;
    if (found !== undefined) await this.#ask('PATCH', `${paths[kind]}/${found}`, token, item);
    const made = found ?? ((await this.#ask('POST', paths[kind], token, item)) as { id: string }).id;
    const written = { domain, kind, id: made };
    // The file had another code or kind.
    if (before !== undefined && before.id !== made)
      await this.#ask('DELETE', `${paths[before.kind]}/${before.id}`, token);
    return written;
  }

  async #remove(file: string, { domain, kind, id }: Written): Promise<void> {
    await this.#ask('DELETE', `${paths[kind]}/${id}`, await this.#logIn(domain));
    this.#options.onLine(`${file}: removed`);
  }

  /** A session of the first administrator of the domain in the topology. */
  async #logIn(domain: string): Promise<string> {
    const users = this.#options.map.domains.get(domain)?.users ?? [];
    const admin = users.find(({ roles }) => roles.includes('admin'));
    if (admin === undefined) throw new Error(`${domain}: expected a user with the role admin in the topology`);
    const { login, pwd } = admin;
    const answer = await this.#ask('POST', '/rest/v1/iam/sessions', '', { domain, login, pwd, session_type: 'token' });
    return (answer as { session_token: string }).session_token;
  }

  async #ask(method: string, path: string, token: string, json?: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const answer = await fetch(`${this.#options.url()}${path}`, { method, headers, ...body }).catch(
      (error: unknown) => {
        throw new Away(String(error));
      },
    );
    const text = await answer.text();
    if (answer.ok || (method === 'DELETE' && answer.status === 404)) return text === '' ? undefined : JSON.parse(text);
    if (answer.status >= 502) throw new Away(text);
    throw new Error(`${method} ${path}: ${text}`);
  }
}

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && !name.endsWith('~'))
    .toSorted();
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
