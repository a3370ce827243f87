/* Figures take the colours of a theme that changes while the page is open.

Streamlit changes its own colours with the system's but tells the app only when the reader next does something: until then figures
for light paper would stand on a dark page. Once its colours have changed, its key for running the page again is pressed. */
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const shown = () => {
    const app = document.querySelector(".stApp");
    return app && getComputedStyle(app).colorScheme;
  };
  const key = (kind) => new KeyboardEvent(kind, { key: "r", code: "KeyR", bubbles: true });
  dark.addEventListener("change", () => {
    let looks = 50;
    const look = () => {
      if (shown() === (dark.matches ? "dark" : "light")) ["keydown", "keyup"].forEach((kind) => document.body.dispatchEvent(key(kind)));
      else if (looks--) setTimeout(look, 100);
    };
    look();
  });
})();
