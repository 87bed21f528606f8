/** A registrar asks the devices of a SIP user whether they are there, because another one wants to register; meanwhile one changes. */
import type { SipResponse } from '../../../../../src/model/sip/message.ts';
import { type UseCase, useCaseOf } from '../kit/use-case.ts';
import { makeUser, type OwnSipUser, register, showing } from './own-device.ts';

const account = { login: 'devices-probed', phonenumber: '779956', lic: { devices: 2 } };
const expires = 600;
/** By address: one that answers, one at whose contact nothing is, and one that comes when both have registered. */
const [there, silent, later] = ['10.66.8.1', '10.66.8.2', '10.66.8.3'] as const;
const silentContact = `sip:${account.login}@10.66.8.9:5070`;
/** The question is on its way by then; it waits three seconds for an answer. (limits in the reference) */
const askedMs = 1_000;

export const devicesProbed = useCaseOf({
  name: 'devices-probed',
  rule: 'In a quiescent cluster, while the devices of a SIP user are asked whether they are there, because another one registers, a device that leaves is gone and stays so, whether it answers, is silent or is the one that registers; one that registers again stays; and after a change of the password all are gone.',
  exclusions: 'Domains that no sg serves.',
  sender: '10.6.21.13',
  play: async (useCase) => {
    const opts = { minexpires: 15, maxexpires: expires };
    useCase.afterwards(() => useCase.copied());
    const user = await makeUser(useCase, account.login, { ...account, opts });
    if (user === undefined) return;
    for (const crossing of crossings(useCase, user)) if (!(await cross(useCase, user, crossing))) return;
  },
});

interface Crossing {
  readonly what: string;
  /** What happens meanwhile. */
  change(): Promise<unknown>;
  /** Whether the new device is registered, and which are then. */
  readonly isTaken: boolean;
  readonly left: readonly string[];
}

function crossings(useCase: UseCase, user: OwnSipUser): readonly Crossing[] {
  const send = (ip: string, seconds = expires) => register(useCase, user, deviceAt(ip, seconds));
  return [
    { what: 'nothing changes', change: async () => {}, isTaken: true, left: [there, later] },
    { what: 'the one that answers leaves', change: () => send(there, 0), isTaken: true, left: [silent, later] },
    { what: 'the silent one leaves', change: () => send(silent, 0), isTaken: true, left: [there, later] },
    { what: 'the silent one registers again', change: () => send(silent), isTaken: false, left: [there, silent] },
    { what: 'the new one leaves', change: () => send(later, 0), isTaken: false, left: [there, silent] },
    {
      what: 'the password is changed',
      change: () => useCase.ask(user.path, { method: 'PATCH', site: useCase.there, body: { pwd: `${user.pwd}-2` } }),
      isTaken: false,
      left: [],
    },
  ];
}

function deviceAt(ip: string, seconds: number) {
  return { ip, expires: seconds, ...(ip === silent && { contact: silentContact }) };
}

/** Returns whether the devices could register. */
async function cross(useCase: UseCase, user: OwnSipUser, { what, change, isTaken, left }: Crossing): Promise<boolean> {
  const { questions } = useCase.context;
  // Each begins without devices.
  for (const ip of [there, silent, later]) await register(useCase, user, deviceAt(ip, 0));
  for (const ip of [there, silent])
    if ((await register(useCase, user, deviceAt(ip, expires))).status !== 200) return false;
  if (!(await useCase.everywhere(user.path, showing([there, silent])))) return false;
  const coming: Promise<SipResponse> = register(useCase, user, deviceAt(later, expires));
  await questions.wait(askedMs);
  await change();
  const { status } = await coming;
  useCase.expect(`REGISTER of another device while ${what}`, undefined, () =>
    (status === 200) === isTaken ? undefined : `got ${status}`,
  );
  await useCase.everywhere(user.path, showing(left));
  // What comes late changes nothing.
  await questions.wait(useCase.quickMs);
  await useCase.everywhere(user.path, showing(left), 0);
  return true;
}
