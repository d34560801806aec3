// What the attempts of a job wrote: one attempt and one stream at a time, live while it runs.

import { call } from "./api.js";
import { element } from "./dom.js";
import { count } from "./format.js";

const longest = 400_000;
const names = ["stdout", "stderr"];

/**
 * The output of a job. show(attempts) brings it up to date: the latest attempt unless another one is
 * selected, and stderr of one that failed unless a stream is selected; close() ends the reading.
 */
export function outputCard(id) {
  const text = element("pre", { class: "log", tabindex: "0", "aria-label": "Output" });
  const notice = element("p", { class: "notice", hidden: true });
  const download = element("a", {}, "Download");
  const choice = element("select", { "aria-label": "Attempt", onchange: () => {
    wanted = Number(choice.value) === attempts.at(-1)?.number ? null : Number(choice.value);
    stream = null;
    update();
  } });
  const label = element("label", { class: "muted" }, "Attempt ", choice);
  const buttons = names.map((name) => element("button", { type: "button", onclick: () => { stream = name; update(); } }, name));
  const whole = element("section", { class: "card", hidden: true }, element("h2", {}, "Output"),
    element("div", { class: "tabs" }, label, buttons, element("span", { class: "spacer" }), download), notice, text);
  let attempts = [];
  let wanted = null;
  let stream = null;
  let reading = new AbortController();
  let shown = "";

  const address = (attempt, name) => "/v1/jobs/" + id + "/logs?" + new URLSearchParams({ attempt: attempt.number, stream: name });
  const failed = (attempt) => Boolean(attempt.endedAt) && attempt.state !== "SUCCEEDED";

  function update() {
    const attempt = attempts.find((one) => one.number === wanted) ?? attempts.at(-1);
    whole.hidden = !attempt;
    if (!attempt) return;
    label.hidden = attempts.length < 2;
    const options = attempts.map((one) => element("option", { value: one.number }, one.number + ", " + one.state.toLowerCase()));
    if ([...choice.options].map((one) => one.text).join() !== options.map((one) => one.text).join()) choice.replaceChildren(...options);
    choice.value = attempt.number;
    const name = stream ?? (failed(attempt) ? "stderr" : "stdout");
    const key = [attempt.number, name, stream, Boolean(attempt.startedAt)].join();
    if (key === shown) return;
    shown = key;
    load(attempt, name);
  }

  async function load(attempt, name) {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.textContent === name)));
    download.href = address(attempt, name);
    download.download = "job-" + id + "-attempt-" + attempt.number + "-" + name + ".log";
    text.textContent = "";
    notice.hidden = true;
    let total = 0;
    try {
      const answer = await call(address(attempt, name) + (attempt.endedAt ? "" : "&follow=true"), { signal });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const atEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 8;
        total += part.value.length;
        text.append(part.value);
        if (total > longest) {
          text.textContent = text.textContent.slice(-longest);
          notice.textContent = "Only the last " + count(longest) + " of " + count(total) + " characters are shown. Download the log to see all of it.";
          notice.hidden = false;
        }
        if (atEnd) text.scrollTop = text.scrollHeight;
      }
      // A program may report its errors on stdout.
      if (!total && !stream && name === "stderr" && !signal.aborted) await load(attempt, "stdout");
      else if (!total && attempt.endedAt) text.textContent = "(no output on " + name + ")";
    } catch (failure) {
      if (!signal.aborted) text.textContent = failure.message;
    }
  }

  return {
    whole,
    show(all) {
      attempts = [...all].sort((one, other) => one.number - other.number);
      update();
    },
    close: () => reading.abort(),
  };
}
