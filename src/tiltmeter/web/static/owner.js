"use strict";
// The numbers refresh themselves while somebody looks at them, but not under a hand that is using them.
const numbers = document.querySelector("#numbers");

setInterval(async () => {
  if (document.hidden || numbers.contains(document.activeElement)) return;
  try {
    const answer = await fetch(numbers.dataset.source);
    if (answer.ok && !numbers.contains(document.activeElement)) numbers.innerHTML = await answer.text();
  } catch { /* the server is away for a moment: the next try tells */ }
}, 5000);
