"use strict";
// Everything works without this file; it adds keys, and keeps a form from being sent twice.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.target.closest("textarea, input, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  // On a keyboard of another script the letter is told by its place.
  const typed = /^[a-z0-9]$/i.test(event.key) ? event.key : event.code.replace(/^(Key|Digit|Numpad)/, "");
  const place = document.querySelector(`[data-key="${CSS.escape(typed.toLowerCase())}"]`);
  if (place === null) return;
  event.preventDefault();
  if (place.tagName === "TEXTAREA") place.focus();
  else place.click();
});

document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});

// A page that comes back by the browser's button is asked for anew: its form may be answered already.
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

const language = document.querySelector("#lang");
if (language) {
  language.form.querySelector("button").hidden = true;
  language.addEventListener("change", () => language.form.requestSubmit());
}
