/** Pages and icons of the system's web applications: the files below `static/` of the metadata folder. (chosen) */
import { FaultError, fault } from '../../model/fault.ts';
import { staticTypes } from '../../model/static-types.ts';
import { fileAt, type MetadataFiles } from '../../services/metadata.ts';
import { answerVersioned } from '../answering.ts';
import type { Route } from '../route.ts';

export function staticRoutes(files: MetadataFiles): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/static/*',
      does: 'Gives a page or an icon of a web application: a file of the metadata folder, below `static`.',
      source: 'chosen',
      access: 'open',
      isTool: true,
      gives: {
        200: {
          media: [...staticTypes.values()].map(essence),
          does: 'The file',
        },
        304: 'nothing',
      },
      refuses: [404],
      answer: ({ request }) => {
        const path = new URL(request.url).pathname.slice(1);
        const text = fileAt(files, path);
        const type = staticTypes.get(/\.\w+$/.exec(path)?.[0] ?? '');
        if (text !== undefined && type !== undefined) return answerVersioned(request, type, text);
        throw new FaultError(fault('not_found', `no file ${JSON.stringify(path)} in the metadata folder`));
      },
    },
  ];
}

function essence(type: string): string {
  return type.split(';', 1)[0] ?? type;
}
