/** A file that clients share. */
import { drawn, oneOf } from '../../tally.ts';
import { formOf, type MadeRequest } from '../request-maker.ts';
import type { Story } from './story.ts';

const parking = '/rest/v1/fs/targets/parking';
const fileNames = ['shared-1.wav', 'shared-2.wav'];

/** A file that several clients write, read, list and remove. */
export const file: Story = async (client) => {
  const { random } = client;
  const path = `${parking}/${oneOf(fileNames, random)}`;
  const write = (): MadeRequest => ({
    method: 'PUT',
    path,
    bytes: { type: 'audio/wav', text: `sound ${client.tag()}` },
  });
  const read: MadeRequest = { method: 'GET', path };
  /** Two changes of what was read, of which one has to be refused. */
  const changeRead = async () => {
    const etag = (await client.send(read))?.headers?.get('etag') ?? undefined;
    if (etag === undefined) return;
    const conditional = (request: MadeRequest) => client.send({ ...request, headers: { 'if-match': etag } });
    const other: MadeRequest = random.float() < 0.3 ? { method: 'DELETE', path } : write();
    await Promise.all([conditional(write()), conditional(other)]);
    await client.send(read);
  };
  const make = (): MadeRequest => ({
    method: 'POST',
    path: parking,
    bytes: formOf(path.slice(parking.length + 1), `sound ${client.tag()}`),
  });
  /** Where there is none, one of these is the first. */
  const makeTwice = async () => {
    await client.send({ method: 'DELETE', path });
    await Promise.all([client.send(make()), client.send(random.float() < 0.5 ? make() : write())]);
    await client.send(read);
  };
  const meet = () => Promise.all([client.send(write()), client.send(read), client.send(write())]);
  const acts: readonly (readonly [act: () => Promise<unknown>, share: number])[] = [
    [() => client.send({ method: 'DELETE', path }), 10],
    [() => client.send({ method: 'GET', path: parking }), 10],
    [makeTwice, 10],
    [changeRead, 10],
    [meet, 10],
    [() => client.send(write()), 20],
    [() => client.send(read), 30],
  ];
  await client.send(write());
  await client.send(read);
  for (let n = random.integer(1, 4); n > 0; n -= 1) {
    const act = drawn(acts, random);
    await client.pause(random.integer(0, 2_000));
    await act?.();
  }
  await client.send(read);
};
