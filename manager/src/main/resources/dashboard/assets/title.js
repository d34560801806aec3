// The title of the browser's window and tab.

/** Titles the page with what it shows. */
export function entitle(words) {
  document.title = words + " · Millrace";
}
