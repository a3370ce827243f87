/* A page that Streamlit's front end has given up is opened again.

When browser and server were asleep, or cut off from each other, in the middle of an update, the rest of the update may be about
places that the page no longer has. The front end then ends with an error in the console and leaves an empty page. The address has
the view, so opening it again restores it. Not twice within ten seconds: an error that comes back at once is left to be seen. */
(() => {
  const LOST = /Bad delta path/;
  const KEY = "reopened";
  const again = (message) => {
    if (!LOST.test(message) || Date.now() - Number(sessionStorage.getItem(KEY) || 0) < 10000) return;
    sessionStorage.setItem(KEY, String(Date.now()));
    window.location.reload();
  };
  window.addEventListener("error", (event) => again(String(event.message)));
  window.addEventListener("unhandledrejection", (event) => again(String(event.reason && event.reason.message)));
})();
