/** Devices that come, move, and leave in each way: what is shown of them, and the events. */
import { exactly, isSame } from '../calls/call-judges.ts';
import { EventClient } from '../kit/event-client.ts';
import { states } from '../kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { makeUser, type OwnSipUser, type RegisterFields, register } from './own-device.ts';

const login = 'devices-published';
/** Devices, by address. */
const [first, second, third] = ['10.66.4.1', '10.66.4.2', '10.66.4.3'];
/** Seconds that a registration may last. */
const [shortest, longest] = [15, 600];
/** So long a registered device may take to answer OPTIONS. */
const silentSec = 3;
const moved = `sip:${login}@10.66.4.9:5070`;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

export const devicesPublished = useCaseOf({
  name: 'devices-published',
  rule: 'In a quiescent cluster, each device of a SIP user is shown at each front with exactly its contact, the seconds that are left and the site of its gate, the user as online while there is one; registering, refreshing, leaving, expiring, being dropped by an administrator, by fewer devices or by the end of the right to register is published once, with exactly its fields, and that the user is online or offline with the first and the last device only.',
  exclusions: 'Domains that no sg serves; runs in which clocks were set.',
  sender: '10.6.4.4',
  play: async (useCase) => {
    if (!useCase.areClocksRight) return;
    const opts = { minexpires: shortest, maxexpires: longest };
    const user = await makeUser(useCase, login, { phonenumber: '779944', lic: { devices: 2 }, opts });
    if (user === undefined) return;
    const events = await EventClient.open(useCase, { site: useCase.there });
    if (events !== undefined) await new Devices(useCase, user, events).play();
    await useCase.ask(user.path, { method: 'DELETE' });
    await useCase.copied();
    await useCase.everywhere(`${states}/${user.id}`, expecting(404), 0);
  },
});

class Devices {
  readonly #useCase: UseCase;
  readonly #user: OwnSipUser;
  readonly #events: EventClient;
  /** Of these, the registered ones. */
  readonly #devices: Item[] = [];
  /** The events that were expected so far. */
  readonly #expected: Item[] = [];

  constructor(useCase: UseCase, user: OwnSipUser, events: EventClient) {
    this.#useCase = useCase;
    this.#user = user;
    this.#events = events;
  }

  async play(): Promise<void> {
    const useCase = this.#useCase;
    const { id, path, gate, other } = this.#user;
    const wanted = ['registrarevents.*', 'modelevents.data_changed'];
    await this.#events.subscribe({ id: 'd', qid: 'q', objects: [login], events: wanted });
    await this.#events.subscribe({ id: 'u', objects: [id, 'none'], events: ['modelevents.*'] });
    await this.#isShown();
    if (!(await this.#takes({ ip: first, expires: longest, gate }))) return;
    if (!(await this.#takes({ ip: second, expires: longest - 10, gate: other }))) return;
    await this.#refuses({ ip: third, expires: longest });
    await this.#takes({ ip: first, expires: longest - 20, gate: other, contact: moved });
    await this.#isShown();
    const fewer = await useCase.ask(path, { site: useCase.there, method: 'PATCH', body: { lic: { devices: 1 } } });
    useCase.expect('PATCH of lic.devices', fewer, expecting(200, { lic: { devices: 1 } }));
    await this.#leaves('unregister', second);
    await useCase.copied();
    // Nothing answers at the contact of the first one, which another device replaces then.
    if (!(await this.#takes({ ip: second, expires: longest, gate }, first))) return;
    await this.#refuses({ ip: third, expires: longest });
    const left = await register(useCase, this.#user, { ip: second, expires: 0 });
    this.#answered('leaving', left.status, 200);
    await this.#leaves('unregister', second);
    if (!(await this.#expires())) return;
    if (!(await this.#takes({ ip: first, expires: longest }))) return;
    const drop = async (site: string) =>
      useCase.expect(
        'DELETE of the state',
        await useCase.ask(`${states}/${id}`, { site, method: 'DELETE' }),
        exactly(204, undefined),
      );
    await drop(useCase.there);
    await this.#leaves('unregister', first);
    await drop(useCase.here);
    if (!(await this.#takes({ ip: second, expires: longest }))) return;
    await useCase.ask(path, { site: useCase.there, method: 'PATCH', body: { reg: 0 } });
    await this.#leaves('unregister', second);
    await useCase.copied();
    await this.#refuses({ ip: second, expires: longest });
    await this.#isShown();
    const unknown = `${states}/aa0c0f3e-7d51-4c5b-9d8f-200000000000`;
    for (const method of ['GET', 'DELETE'])
      useCase.expect(
        `${method} ${unknown}`,
        await useCase.ask(unknown, { method }),
        expecting(404, { error_code: 1404 }),
      );
  }

  /** A device is not refreshed in time. Returns whether it could register. */
  async #expires(): Promise<boolean> {
    const useCase = this.#useCase;
    const { questions, now } = useCase.context;
    const beganMs = now();
    // Answers may take long.
    const until = (seconds: number) => questions.wait(Math.max(0, beganMs + seconds * 1_000 - now()));
    if (!(await this.#takes({ ip: third, expires: shortest }))) return false;
    const isEarly = now() < beganMs + (shortest - 2) * 1_000;
    await until(shortest - 2);
    if (isEarly) await useCase.everywhere(`${states}/${this.#user.id}`, expecting(200, { status: 'online' }), 0);
    await until(shortest);
    await this.#leaves('expire', third);
    return true;
  }

  /** The device registers, for the first time or again, and may replace another one. Returns whether it could. */
  async #takes(device: RegisterFields, replaced?: string): Promise<boolean> {
    const useCase = this.#useCase;
    const { ip, expires, contact = `sip:${login}@${ip}:5060`, gate = this.#user.gate } = device;
    const response = await register(useCase, this.#user, device);
    if (response.status === 503 || response.status === 408) return false;
    if (replaced !== undefined) this.#forget('unregister', replaced);
    const index = this.#devices.findIndex((each) => each['device'] === ip);
    const shown = { device: ip, contact, expires, site: gate.site };
    const isOnline = this.#devices.length > 0;
    if (index >= 0) this.#devices.splice(index, 1, shown);
    else this.#devices.push(shown);
    const contacts = this.#devices.map((each) => String(each['contact'])).toSorted();
    useCase.expect(`REGISTER of ${ip}`, undefined, () =>
      response.status === 200 &&
      response.expires === expires &&
      response.contact === contact &&
      isSame(response.contacts?.toSorted(), contacts)
        ? undefined
        : `expected 200, ${expires} s, ${contacts.join()}, got ${JSON.stringify(response)}`,
    );
    const name = `registrarevents.${index < 0 ? 'register' : 'refresh'}`;
    this.#expected.push({ name, device: ip, contact, expires: await this.#publishedExpires(name, expires, replaced) });
    if (!isOnline) this.#expected.push({ name: 'modelevents.data_changed', status: 'online' });
    await this.#isShown();
    return true;
  }

  /** The time of one that has waited until another one was silent runs since its REGISTER. */
  async #publishedExpires(name: string, expires: number, replaced: string | undefined): Promise<unknown> {
    if (replaced === undefined) return expires;
    const place = this.#expected.length;
    await this.#events.holds(() => this.#events.eventsOf('d').length > place, this.#useCase.quickMs);
    const seconds = this.#events.eventsOf('d').findLast((event) => event.name === name)?.data['expires'];
    return Number(seconds) > expires - silentSec - 2 && Number(seconds) <= expires ? seconds : expires;
  }

  async #refuses(device: RegisterFields): Promise<void> {
    const { status } = await register(this.#useCase, this.#user, device);
    if (status !== 503 && status !== 408) this.#answered(`REGISTER of ${device.ip}`, status, 403);
  }

  #answered(what: string, got: number, expected: number): void {
    this.#useCase.expect(what, undefined, () => (got === expected ? undefined : `expected ${expected}, got ${got}`));
  }

  /** A device has left. */
  async #leaves(name: 'unregister' | 'expire', ip: string): Promise<void> {
    this.#forget(name, ip);
    await this.#isShown();
  }

  #forget(name: 'unregister' | 'expire', ip: string): void {
    const index = this.#devices.findIndex((each) => each['device'] === ip);
    const [device = {}] = this.#devices.splice(index, 1);
    this.#expected.push({ name: `registrarevents.${name}`, device: ip, contact: device['contact'], expires: 0 });
    if (this.#devices.length === 0) this.#expected.push({ name: 'modelevents.data_changed', status: 'offline' });
  }

  /** At each front, and to subscribers. */
  async #isShown(): Promise<void> {
    const useCase = this.#useCase;
    const { id, path } = this.#user;
    const status = this.#devices.length === 0 ? 'offline' : 'online';
    const state = { id, username: login, status };
    await useCase.everywhere(`${states}/${id}`, exactly(200, state));
    await useCase.everywhere(path, this.#showing());
    const list = await useCase.ask(`${states}?${filterOf({ username: login, status })}`);
    useCase.expect('the list of states', list, exactly(200, [state]));
    await this.#events.holds(() => this.#events.eventsOf('d').length >= this.#expected.length, useCase.quickMs);
    const received = this.#events.eventsOf('d');
    const named = received.map(({ name, data: { eventid: _, eventts: __, useragent: ___, ...rest } }) => ({
      name,
      ...rest,
    }));
    const whole = this.#expected.map((each) =>
      'device' in each
        ? { login, domain: useCase.domain, ...each }
        : { collection: 'sipuser_states', id, username: login, ...each },
    );
    useCase.expect('events of devices', undefined, () => {
      const wrong = received.find(({ qid, data }) => qid !== 'q' || !time.test(String(data['eventts'])));
      if (wrong !== undefined) return `got ${JSON.stringify(wrong)}`;
      // Of different registrars they have no order.
      const [got, want] = [named, whole].map((list) =>
        list.map((each) => JSON.stringify(each, Object.keys(each).toSorted())).toSorted(),
      );
      if (isSame(got, want)) return undefined;
      const brief = (list: readonly Item[]) =>
        list.map(({ name, device, status, expires }) => [name, device ?? status, expires].join(' ')).join();
      return `expected ${brief(whole)}; got ${brief(named)}`;
    });
    const changes = (list: readonly Item[]) =>
      list.filter((each) => each['name'] === 'modelevents.data_changed').length;
    const count = () => this.#events.eventsOf('u').length;
    await this.#events.holds(() => count() >= changes(whole), useCase.quickMs);
    useCase.expect('modelevents of the id', undefined, () =>
      count() === changes(whole) ? undefined : `expected ${changes(whole)}, got ${count()}`,
    );
  }

  /** All its devices, with at most the seconds that are left. */
  #showing(): Judge {
    return (answer) => {
      const { devices } = (answer?.body ?? {}) as { devices?: readonly Item[] };
      const shown = (devices ?? []).map(({ expires: _, useragent: __, ...rest }) => rest);
      const expected = this.#devices.map(({ expires: _, ...rest }) => rest);
      const byDevice = (list: readonly Item[]) =>
        list.toSorted((a, b) => (String(a['device']) < String(b['device']) ? -1 : 1));
      const areLeft = (devices ?? []).every(({ device, expires, useragent }) => {
        const most = Number(this.#devices.find((each) => each['device'] === device)?.['expires']);
        return Number(expires) <= most && Number(expires) >= 0 && typeof useragent === 'string';
      });
      const isRight =
        answer?.status === 200 && devices !== undefined && areLeft && isSame(byDevice(shown), byDevice(expected));
      return isRight
        ? undefined
        : `expected the devices ${JSON.stringify(this.#devices)}, got ${JSON.stringify(devices)} ${textOf(answer).slice(0, 3)}`;
    };
  }
}
