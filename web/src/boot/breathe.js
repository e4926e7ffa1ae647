/**
 * Lets the page paint and answer in the middle of a long work. A timer would do, but those of hidden pages are slowed
 * down to one a second, or one a minute.
 *
 * @returns {Promise<void>}
 */
export function breathe() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
