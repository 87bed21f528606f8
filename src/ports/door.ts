/** The HTTP door of a ws instance: where requests come in. A listening socket implements it, and the virtual world's direct call. */
export interface Door {
  /** Opens the door for `handler`. Rejects when the address is taken. */
  open(handler: DoorHandler): Promise<OpenDoor>;
}

/** Answers a request from `sender`, an IP address. Never rejects. */
export type DoorHandler = (request: Request, sender: string, header: HeaderReader) => Response | Promise<Response>;

/**
 * The value of a header field by its lower-case name: what `request.headers.get` gives, without the cost of making all of
 * `request.headers`, which is more than that of the rest of a small answer.
 */
export type HeaderReader = (name: string) => string | null;

export interface OpenDoor {
  /** Base URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Lets nobody in any more; resolves when every request inside is answered. */
  close(): Promise<void>;
  /** Cuts every connection at once, as a crash does. */
  slam(): void;
}
