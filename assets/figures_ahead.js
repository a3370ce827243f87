/* Streamlit loads what draws figures once a page has one, and evaluating it takes most of a second. Here the browser does that
   earlier, while it waits for the server to build the page. The module is the same one, so it is loaded and evaluated once. */
(() => {
  const link = document.querySelector('link[rel="modulepreload"][href*="PlotlyChart"]');
  if (!link) return;
  new MutationObserver((_, observer) => {
    if (!document.querySelector('[data-testid="stApp"][data-test-script-state="running"]')) return;
    observer.disconnect();
    import(link.href).catch(() => {}); // then Streamlit loads it, and says what is wrong
  }).observe(document, { subtree: true, childList: true, attributeFilter: ["data-test-script-state"] });
})();
