/** The declarations of events, compared with the events that a run sends. */
import { type SentEvent, sentEvents } from '../../sim/docs/interface/events-document.ts';
import { eventCatalogue } from '../../src/model/events/event-catalogue.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

let sent: SentEvent[];
test.before(async () => {
  sent = await sentEvents();
});

test('every declared event is sent in the run of the examples', (t) => {
  const declared = Object.entries(eventCatalogue).flatMap(([of, all]) =>
    Object.keys(all).map((name) => `${of}.${name}`),
  );
  const seen = new Set(sent.map((each) => `${each.class}.${each.name}`));
  t.deepEqual(
    declared.filter((name) => !seen.has(name)),
    [],
  );
});

test('the data of every event that is sent fit its declaration, without a further field', (t) => {
  const wrong = sent.flatMap(({ class: of, name, data }) => {
    const declaration = eventCatalogue[of as keyof typeof eventCatalogue]?.[name];
    const read = declaration?.data.safeParse(JSON.parse(JSON.stringify(data)));
    return read?.success === true ? [] : [`${of}.${name}: ${read === undefined ? 'not declared' : read.error.message}`];
  });
  t.deepEqual([...new Set(wrong)], []);
  t.true(sent.length > 100, `${sent.length}`);
});
