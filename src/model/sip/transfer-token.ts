/**
 * The token in Referred-By by which the platform knows the call that comes of a REFER of its own: who referred, under which
 * name it knows the transfer, and the label that goes along. Devices send it back as it is. (chosen)
 */

export interface TransferToken {
  /** Address of the role instance that referred. */
  readonly address: string;
  readonly key: string;
  readonly label?: string | undefined;
}

export function transferToken({ address, key, label }: TransferToken): string {
  return label === undefined ? `${address}|${key}` : `${address}|${key}|${label}`;
}

/** The token in a text that came from outside, if it is one. */
export function readTransferToken(text: string | undefined): TransferToken | undefined {
  const [address, key, ...label] = (text ?? '').split('|');
  if (address === undefined || key === undefined) return undefined;
  return label.length === 0 ? { address, key } : { address, key, label: label.join('|') };
}
