/** Which use cases or drills a run plays. */
import { SeededRandom } from '../ports/random.ts';

/** How many of them a run of a campaign plays: more would make it longer than what it finds is worth. (docs/adr/0040-drills.md) */
export const hands = { useCase: 10, drill: 7 } as const;

/** What can be played. `weight`: how often, against others; default: 1. */
interface Card {
  readonly name: string;
  readonly weight?: number;
}

/**
 * The cards in the order in which the run of a seed plays them, whatever their number; if one cannot be played, the run takes the next one.
 * Seeds in a row are dealt from one deck, so that a round of them, each with `hand` cards, plays each card, one of weight 2
 * twice. For the next round the deck is shuffled again. Independent draws would leave out one card in three in a round.
 */
export function dealt<T extends Card>(cards: readonly T[], { seed, hand }: { seed: number; hand: number }): T[] {
  const most = cards.reduce((sum, { weight = 1 }) => sum + Math.ceil(weight), 0);
  const seeds = Math.max(1, Math.ceil(most / hand));
  const turn = Math.max(0, seed - 1);
  const round = Math.floor(turn / seeds);
  const deck = shuffled(cards, round);
  const first = Math.floor(((turn % seeds) * deck.length) / seeds);
  return [...new Set([...deck.slice(first), ...deck.slice(0, first), ...cards])];
}

function shuffled<T extends Card>(cards: readonly T[], round: number): T[] {
  const random = new SeededRandom(round).fork('deck');
  const places = cards.flatMap((card) => {
    const { name, weight = 1 } = card;
    const times = Math.floor((round + 1) * weight) - Math.floor(round * weight);
    const own = random.fork(name).stream('faults');
    return Array.from({ length: times }, () => ({ card, place: own.float() }));
  });
  return places.toSorted((one, other) => one.place - other.place).map(({ card }) => card);
}
