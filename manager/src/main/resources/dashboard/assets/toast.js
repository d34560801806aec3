// Tells for a while how something went.

/** Shows words; done says that they are no failure. */
export function toast(words, done) {
  const box = document.getElementById("toast");
  box.textContent = words;
  box.classList.toggle("done", Boolean(done));
  box.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { box.hidden = true; }, 8000);
}
