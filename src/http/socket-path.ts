/** Where web sockets are. (public) */
export const socketPath = '/ws';
