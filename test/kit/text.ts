/** Any text, for properties. fast-check's unit "binary", also in its URLs, first makes a table of a million characters, which takes more than a second. */
import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };
const lastCodePoint = 0x10ffff;

/** One character, of all that there are: a unit of `fc.string`. */
export const anyCharacter: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: characters(0, 0x7f) },
  { weight: 3, arbitrary: characters(0, lastCodePoint - surrogates.count) },
);

/** An origin with a path. */
export const anyUrl: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), anyPathOf(fc.string({ unit: anyCharacter })))
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`);

/** A path of any segments, which are escaped where they must be. */
export const anyUrlPath: fc.Arbitrary<string> = anyPathOf(fc.string({ unit: anyCharacter }));

function anyPathOf(segment: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(segment, { maxLength: 5 }).map((all) => all.map((each) => `/${encodeURIComponent(each)}`).join(''));
}

/** The characters whose numbers, counted without surrogates, are in a range. */
function characters(min: number, max: number): fc.Arbitrary<string> {
  return fc.integer({ min, max }).map(
    (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
    (text) => {
      const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
      if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('expected one character');
      return code < surrogates.first ? code : code - surrogates.count;
    },
  );
}
