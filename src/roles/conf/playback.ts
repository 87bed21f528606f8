/**
 * The files that participants of a conference hear: one that a participant plays, such as an IVR script, if they hear that
 * participant; else, for a participant that hears no other one, the file of the conference. Each hears one file at a time. (chosen)
 */
export class Playback {
  /** Files that participants play, by the id of the participant. */
  readonly #plays = new Map<string, string>();
  /** The file that each participant hears. */
  readonly #heard = new Map<string, string>();
  /** For participants that hear no other one; empty: none. */
  file = '';

  /** A participant plays a file from now on; empty: none. */
  plays(participant: string, file: string): void {
    if (file === '') this.#plays.delete(participant);
    else this.#plays.set(participant, file);
  }

  /** Forgets a participant that has left. */
  forget(participant: string): void {
    this.#plays.delete(participant);
    this.#heard.delete(participant);
  }

  /** The participants that hear another file than before. `hears`: the participants that each participant hears. */
  changes(
    hears: Readonly<Record<string, readonly string[]>>,
  ): { readonly participant: string; readonly file: string }[] {
    return Object.entries(hears).flatMap(([participant, heard]) => {
      const player = heard.find((other) => this.#plays.has(other));
      const ofConference = heard.length === 0 ? this.file : '';
      const file = (player === undefined ? undefined : this.#plays.get(player)) ?? ofConference;
      if (file === (this.#heard.get(participant) ?? '')) return [];
      this.#heard.set(participant, file);
      return [{ participant, file }];
    });
  }
}
