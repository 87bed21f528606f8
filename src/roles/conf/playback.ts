/**
 * What participants of a conference hear played: a file that a participant plays whom they hear, such as an IVR script; else,
 * where they hear no one, the file of the conference. The routing of audio alone is simulated: each hears one file at a time. (chosen)
 */
export class Playback {
  /** Files that participants play, by the id of the participant. */
  readonly #plays = new Map<string, string>();
  /** What each participant was told that it hears. */
  readonly #told = new Map<string, string>();
  /** For participants that hear no one; empty: none. */
  file = '';

  /** A participant plays a file from now on; empty: none. */
  plays(participant: string, file: string): void {
    if (file === '') this.#plays.delete(participant);
    else this.#plays.set(participant, file);
  }

  /** Forgets a participant that has left. */
  forget(participant: string): void {
    this.#plays.delete(participant);
    this.#told.delete(participant);
  }

  /** The participants that hear another file than before. `hears`: whom each of those that take part hears. */
  changes(
    hears: Readonly<Record<string, readonly string[]>>,
  ): { readonly participant: string; readonly file: string }[] {
    return Object.entries(hears).flatMap(([participant, heard]) => {
      const player = heard.find((other) => this.#plays.has(other));
      const ofConference = heard.length === 0 ? this.file : '';
      const file = (player === undefined ? undefined : this.#plays.get(player)) ?? ofConference;
      if (file === (this.#told.get(participant) ?? '')) return [];
      this.#told.set(participant, file);
      return [{ participant, file }];
    });
  }
}
