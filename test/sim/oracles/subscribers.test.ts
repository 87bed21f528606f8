/** Of the oracle subscribers-hear: runs that keep its rule, break it, or do not touch it. */

import { subscribersHear } from '../../../sim/oracles/rules/calls/subscribers-hear.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const b2b = 'north/n1/b2b-214';
const wholeMs = 60_000;

/** A subscriber with one socket after another, and a source. */
class Scene {
  readonly trial = new Trial(subscribersHear);
  #socket = 0;
  #cursor = 0;
  readonly #domain: string;

  /** The domain of the subscriber, and of the events. */
  constructor(domain = 'acme.root.test') {
    this.#domain = domain;
    const request = { id: 1, site: 'hq', method: 'POST', target: '/rest/v1/iam/sessions' };
    this.trial.see('request.received', { ...request, client: '', sent: JSON.stringify({ domain, login: 'admin' }) });
    const body = JSON.stringify({ session_token: 'token' });
    this.trial.see('request.answered', { ...request, status: 200, tookMs: 1, body, ageS: undefined });
  }

  connect(asked: { cursor?: string | undefined } = {}, answer: object = {}): this {
    return this.ask(asked).say('subscribe', { result: 'ok', ...answer });
  }

  /** Subscribes, and has no answer yet. */
  ask({ cursor }: { cursor?: string | undefined }): this {
    this.#socket += 1;
    this.#say('in', 'subscribe', { id: 'wall', objects: 'any', events: ['callevents.*'], cursor });
    return this;
  }

  close(): this {
    this.trial.see('socket.ended', { socket: this.#socket });
    return this;
  }

  get cursor(): string {
    return `c${this.#cursor}`;
  }

  publish(...numbers: readonly number[]): this {
    return this.publishAt(b2b, ...numbers);
  }

  publishAt(from: string, ...numbers: readonly number[]): this {
    for (const n of numbers) {
      const data = { eventid: `e${n}` };
      const event = { class: 'callevents', name: 'invite', domains: [this.#domain], objects: [], data };
      this.trial.send({ type: 'stream.published', from, to: '', body: { epoch: 1, items: [{ n, event }] } });
    }
    return this;
  }

  hear(...numbers: readonly number[]): this {
    for (const n of numbers) this.say('event', { class: 'callevents', event: 'invite', data: { eventid: `e${n}` } });
    return this;
  }

  say(name: string, body: object): this {
    this.#cursor += 1;
    this.#say('out', name, { id: 'wall', cursor: this.cursor, ...body });
    return this;
  }

  #say(direction: 'in' | 'out', name: string, body: object): void {
    const text = JSON.stringify([name, body]);
    this.trial.see('socket.message', { socket: this.#socket, site: 'hq', client: 'token', direction, text });
  }
}

test('passes when each event comes once and in order, also after a lost connection', (t) => {
  const scene = new Scene().connect().publish(1, 2, 3).hear(1, 2).close();
  const { cursor } = scene;
  scene.connect({ cursor }).hear(3).trial.pass(wholeMs);
  t.is(scene.trial.verdict, 'pass', scene.trial.failures.join());
});

for (const [what, heard] of [
  ['an event twice', [1, 2, 1]],
  ['events out of order', [2, 1]],
  ['an event that no source published', [9]],
] as const) {
  test(`fails for ${what}`, (t) => {
    t.is(
      new Scene()
        .connect()
        .publish(1, 2)
        .hear(...heard).trial.verdict,
      'fail',
    );
  });
}

test('fails for an event twice on two connections, if the second one continues the first', (t) => {
  const scene = new Scene().connect().publish(1).hear(1).close();
  const { cursor } = scene;
  t.is(scene.connect({ cursor }).hear(1).trial.verdict, 'fail');
  t.is(new Scene().connect().publish(1).hear(1).close().connect().hear(1).trial.verdict, 'pass');
});

test('fails when an event does not come in time, unless the subscriber got a gap or its source is gone', (t) => {
  const late = () => new Scene().connect().publish(1, 2).hear(1);
  t.is(late().trial.pass(wholeMs).verdict, 'fail');
  t.is(late().say('gap', {}).trial.pass(wholeMs).verdict, 'pass');
  t.is(late().trial.see('node.ended', { node: 'n1', isGraceful: false }).pass(wholeMs).verdict, 'pass');
  t.is(late().close().trial.pass(wholeMs).verdict, 'pass');
});

// Seed 11298 of the campaign.
test('an event is lost with its source while a subscription that continues waits for its answer', (t) => {
  const scene = new Scene().connect().publish(1, 2).hear(1).close();
  const { cursor } = scene;
  scene.ask({ cursor }).trial.see('node.ended', { node: 'n1', isGraceful: false });
  t.is(scene.say('subscribe', { result: 'ok' }).trial.pass(wholeMs).verdict, 'pass');
});

test('fails when an event does not come soon while nothing is broken, but not where one was withheld', (t) => {
  const late = () => {
    const scene = new Scene();
    scene.trial.pass(60_000);
    return scene.connect().publish(1, 2).hear(1);
  };
  t.regex(late().trial.pass(7_000).failures.join(), /has not heard callevents.invite e2/);
  const scene = late();
  scene.trial.fired = { 'events.unheard': 1 };
  t.is(scene.trial.pass(7_000).verdict, 'pass');
  scene.hear(2);
  t.is(scene.trial.pass(wholeMs).verdict, 'pass');
});

// Seed 16520 of the campaign: a call of two domains is at a site that does not serve one of them.
test('fails when an event does not come from a site that serves the domain, but not from another one', (t) => {
  const late = (from: string) => new Scene('root.test').connect().publishAt(from, 1, 2).hear(1).trial.pass(wholeMs);
  t.is(late('hq/h1/b2b-114').verdict, 'fail');
  t.is(late(b2b).verdict, 'pass');
});

test('unknown without subscribers', (t) => {
  t.is(new Scene().publish(1).trial.pass(wholeMs).verdict, 'unknown');
});
