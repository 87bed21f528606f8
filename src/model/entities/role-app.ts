/** Role applications: web applications of access roles, each under `/app/<folder>`. (documented; bounds chosen) */
import { z } from 'zod';
import { entity } from './entity.ts';
import { field, integer, opts, out, text, texts } from './field.ts';

const path = '/rest/v1/domain/roleapps';

const archive = field(
  z.strictObject({
    _links: z
      .strictObject({
        self: z
          .strictObject({ href: z.string().describe('Path to upload and download the archive') })
          .describe('The archive'),
      })
      .describe('Links'),
  }),
  {
    does: 'Archive with the files of the application',
  },
);

export const roleApp = entity({
  kind: 'roleapp',
  noun: 'role application',
  nouns: 'role applications',
  path,
  domain: 'any',
  fields: {
    title: text({ initial: '', does: 'Title, for people' }),
    folder: text({
      least: 1,
      most: 100,
      like: /^(?!\.{1,2}$)[A-Za-z0-9_.-]+$/,
      wanted: 'expected the name of a folder: 1 to 100 characters A-Z a-z, digits or _ . -',
      does: 'Folder of the application: its address is `/app/<folder>`; unique in the domain',
    }),
    archive: out(archive, (id) => ({ _links: { self: { href: `${path}/${id}/attachment` } } })),
    roles: texts({
      initial: [],
      does: 'Access roles for which the application is open; empty: for all users. Administrators may use all applications',
    }),
    svcscriptcode: text({ initial: '', does: 'Code of the service script of the application; empty: none' }),
    opts: opts({
      recv_timeout: integer({
        ...{ least: 1, most: 3_600, initial: 10 },
        does: 'Seconds that a request to `/exec` may wait for the service script',
      }),
    }),
  },
  list: ['id', 'title', 'folder', 'archive', 'roles', 'svcscriptcode', 'ext.lwt', 'ext.ct'],
  lookup: ['id'],
  unique: ['folder'],
  operations: {
    create: 'documented',
    list: 'documented',
    get: 'documented',
    patch: 'documented',
    delete: 'public',
    lookup: 'documented',
  },
});
