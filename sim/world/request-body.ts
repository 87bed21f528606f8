/** The body of a request to a virtual world, as its front reads it: each read is pending work, so it takes no virtual time. */
import type { PendingWork } from './pending-work.ts';

/** The same request; its body is read piece by piece, when the front asks for the next one. `order`: of the pending work. */
export function withPendingBody(request: Request, pending: PendingWork, order: number): Request {
  if (request.body === null) return request;
  const reader = request.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pending.do(order, () => reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Request(request, { body, duplex: 'half' });
}
