/**
 * Number modifiers of a SIP user: what `modextin` makes of the number of a caller from a provider, and `modextout` of a number
 * that is dialled to one. Rules `prefix/replacement`, separated by commas; the first whose prefix the number begins with
 * replaces that prefix; `X` stands for one digit. (chosen: the fields are documented, their texts are not)
 */

export const modifierChars = 100;
export const modifierPattern = /^$|^[0-9+*#X]*\/[0-9+*#]*(,[0-9+*#X]*\/[0-9+*#]*)*$/;
export const modifierWanted = `expected at most ${modifierChars} characters of rules such as "00/+,0/+49", or an empty text`;

/** The number after the first rule that fits; unchanged where none does, where nothing would remain, or where it is a name. */
export function modifiedNumber(number: string, modifier: string): string {
  // Rows may be older than the syntax.
  if (!/^[0-9+*#]+$/.test(number) || !modifierPattern.test(modifier)) return number;
  for (const rule of modifier.split(',')) {
    const [prefix = '', replacement] = rule.split('/');
    if (replacement === undefined || !beginsWith(number, prefix)) continue;
    return `${replacement}${number.slice(prefix.length)}` || number;
  }
  return number;
}

function beginsWith(number: string, prefix: string): boolean {
  if (number.length < prefix.length) return false;
  return [...prefix].every((letter, index) => {
    const other = number.charAt(index);
    return letter === other || (letter === 'X' && other >= '0' && other <= '9');
  });
}
