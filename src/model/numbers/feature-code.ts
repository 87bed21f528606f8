/** Feature codes of a domain: prefixes of numbers that lead to a service of the platform. */
import type { TopologyDomain } from '../topology/schema.ts';

type Features = TopologyDomain['features'];

/** The feature code of a number: the longest prefix decides. */
export function featureAt(features: Features, number: string): Features[number] | undefined {
  const fitting = features.filter(({ prefix }) => number.startsWith(prefix));
  return fitting.toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}

/** The kind of a conference by the feature code of its number; conferences without a room are audio only. (chosen) */
export function conftypeOf(features: Features, number: string): 'conference' | 'videoconference' {
  return featureAt(features, number)?.type === 'videoconference' ? 'videoconference' : 'conference';
}
