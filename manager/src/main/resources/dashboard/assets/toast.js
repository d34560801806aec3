// Shows a message for some seconds.

/** Shows a message; done marks it as a success. */
export function toast(words, done) {
  const box = document.getElementById("toast");
  box.textContent = words;
  box.classList.toggle("done", Boolean(done));
  box.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { box.hidden = true; }, 8000);
}
