/*
 * Says so when the page's module cannot be loaded: from a file: address, where browsers run no modules, or when one of
 * its files is missing. A classic script, so that it runs all the same.
 */
addEventListener(
  "error",
  (event) => {
    if (!(event.target instanceof HTMLScriptElement)) return;
    const isFile = location.protocol === "file:";
    const title = isFile ? "This page needs a web server" : "Zengram could not start";
    const detail = isFile
      ? "Browsers run no modules from file: addresses. Serve the folder above this one with any static server."
      : "A script of this page could not be loaded; the browser's console names it. Reload to try again.";
    const show = () => {
      document.getElementById("status")?.setAttribute("data-state", "failed");
      document.getElementById("status-title")?.replaceChildren(title);
      document.getElementById("status-detail")?.replaceChildren(detail);
      document.getElementById("announcer")?.replaceChildren(`${title}. ${detail}`);
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", show);
    else show();
  },
  true, // the event of an element that failed to load does not bubble
);
