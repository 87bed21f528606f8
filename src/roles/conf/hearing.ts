/** Which participants of a conference each one hears: all others, unless a command chose otherwise for a listener. (chosen) */

type Hears = Readonly<Record<string, readonly string[]>>;

export class AudioMatrix {
  /** What a listener hears, where it is not all others. */
  readonly #chosen = new Map<string, ReadonlySet<string>>();

  /** Changes what the listeners named hear. Answers what is wrong with the change, and then nothing has changed. */
  change(hears: Hears, participants: ReadonlySet<string>): string | undefined {
    for (const [listener, heard] of Object.entries(hears)) {
      const stranger = [listener, ...heard].find((each) => !participants.has(each));
      if (stranger !== undefined) return `hears: expected ids of participants, got ${JSON.stringify(stranger)}`;
      if (heard.includes(listener)) return `hears.${listener}: expected other participants, got itself`;
    }
    for (const [listener, heard] of Object.entries(hears)) this.#chosen.set(listener, new Set(heard));
    return undefined;
  }

  /** Forgets a participant that has left. */
  forget(participant: string): void {
    this.#chosen.delete(participant);
  }

  /** For each participant the participants that it hears, in the order of joining. */
  of(participants: ReadonlySet<string>): Record<string, string[]> {
    const all = [...participants];
    return Object.fromEntries(
      all.map((listener) => {
        const chosen = this.#chosen.get(listener);
        return [listener, all.filter((each) => each !== listener && (chosen?.has(each) ?? true))];
      }),
    );
  }
}
